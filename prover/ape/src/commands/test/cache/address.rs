//! Where results are kept, as users write it.
//!
//! In: a folder or an address. Out: a [`Place`].
//!
//! Invariant: an address holds no secret, so it may stand on command lines, in files and in messages. Secrets come from the
//! environment, and are looked up where a connection is made.

use std::path::{Path, PathBuf};

/// Where results are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Place {
    /// In a folder of this machine.
    Folder(PathBuf),
    /// Where several machines look.
    Shared(Address),
}

/// A place that is shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Address {
    /// As it was written.
    pub(super) text: String,
    pub(super) service: Service,
    /// The folder in it, from `/`.
    pub(super) root: String,
}

/// What serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// Redis, and the number of its database.
    Redis { endpoint: String, database: i64 },
    /// `WebDAV`.
    WebDav { endpoint: String },
    /// Object storage that speaks as S3 does. Where it is, the usual variables of the environment say.
    S3 { bucket: String },
    /// A folder that several runs share.
    Files,
}

impl Place {
    /// Reads what a user has written; a folder is from the one given.
    pub(in super::super) fn read(written: &Path, from: &Path) -> Result<Self, String> {
        match written.to_str().filter(|text| text.contains("://")) {
            Some(text) => Address::read(text).map(Place::Shared),
            None => Ok(Place::Folder(from.join(written))),
        }
    }
}

impl Address {
    fn read(text: &str) -> Result<Self, String> {
        let (scheme, rest) = text.split_once("://").ok_or("an address has a `://`")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        // What was written is not repeated: it may hold the secret.
        if rest.contains(['@', '?', '#']) {
            return Err("the address of a cache is a host and a path, without names, passwords and parameters: \
                        these are taken from APE_CACHE_USER, APE_CACHE_PASSWORD and APE_CACHE_TOKEN"
                .into());
        }
        let path = path.trim_matches('/');
        if host.is_empty() != (scheme == "file") || rest.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err("the address of a cache is like redis://host:6379, https://host/path or file:///path".into());
        }
        let (service, path) = match scheme {
            "redis" | "rediss" => {
                let (database, path) = database(path);
                (Service::Redis { endpoint: format!("{scheme}://{host}"), database }, path)
            }
            "http" | "webdav" => (Service::WebDav { endpoint: format!("http://{host}") }, path),
            "https" | "webdavs" => (Service::WebDav { endpoint: format!("https://{host}") }, path),
            "s3" => (Service::S3 { bucket: host.to_string() }, path),
            "file" => (Service::Files, path),
            _ => {
                return Err(format!(
                    "a cache is a folder, or at redis://, rediss://, http://, https://, s3:// or file://, and not at {scheme}://"
                ));
            }
        };
        Ok(Address { text: text.to_string(), service, root: format!("/{path}") })
    }
}

/// The number of a database that a path begins with, and the rest.
fn database(path: &str) -> (i64, &str) {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    first.parse().map_or((0, path), |number: u16| (number.into(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Place, String> {
        Place::read(Path::new(text), Path::new("at"))
    }

    #[test]
    fn folders_and_addresses_are_told_apart() {
        let redis = |endpoint: &str, database| Service::Redis { endpoint: endpoint.into(), database };
        let dav = |endpoint: &str| Service::WebDav { endpoint: endpoint.into() };
        let table = [
            ("redis://one:7/3/team/x", redis("redis://one:7", 3), "/team/x"),
            ("rediss://one", redis("rediss://one", 0), "/"),
            ("redis://one/team", redis("redis://one", 0), "/team"),
            ("http://one/a/b/", dav("http://one"), "/a/b"),
            ("webdavs://one:8/a", dav("https://one:8"), "/a"),
            ("s3://bucket/a", Service::S3 { bucket: "bucket".into() }, "/a"),
            ("file:///a/b", Service::Files, "/a/b"),
        ];
        for (text, service, root) in table {
            let right = Address { text: text.into(), service, root: root.into() };
            assert_eq!(read(text), Ok(Place::Shared(right)));
        }
        assert_eq!(read("a/b"), Ok(Place::Folder("at/a/b".into())));
        assert_eq!(read("/a"), Ok(Place::Folder("/a".into())));
    }

    #[test]
    fn what_is_wrong_is_told_without_what_may_be_secret() {
        for text in
            ["redis://:hidden@one", "https://me:hidden@one/a", "http://one/?key=hidden", "s3:///hidden", "a://hidden"]
        {
            let wrong = read(text).expect_err("it is wrong");
            assert!(!wrong.contains("hidden"), "{wrong}");
        }
    }
}
