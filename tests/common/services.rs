//! Redis and a `WebDAV` server of Debian, each a process of its own on a free port of this machine.

use super::debian::{found_or_installed, program};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

/// What is installed.
const PACKAGES: [&str; 3] = ["redis-server", "lighttpd", "lighttpd-mod-webdav"];
/// How long a server may take to start.
const START: Duration = Duration::from_secs(20);

/// The programs: Redis, and a web server with `WebDAV`.
static PROGRAMS: LazyLock<Option<[PathBuf; 2]>> = LazyLock::new(|| {
    found_or_installed(&PACKAGES, || {
        Some([program(&["redis-server"])?, program(&["lighttpd"]).filter(|_| has_webdav())?])
    })
});

fn has_webdav() -> bool {
    ["/usr/lib/lighttpd/mod_webdav.so", "/usr/lib64/lighttpd/mod_webdav.so"]
        .iter()
        .any(|file| Path::new(file).is_file())
}

/// Whether the servers can be started here.
pub(crate) fn are_there() -> bool {
    PROGRAMS.is_some()
}

/// A server, which ends when this goes.
pub(crate) struct Service {
    process: Child,
    /// Host and port.
    pub(crate) host: String,
    /// Its own folder; that of `WebDAV` has the files in `files`.
    pub(crate) folder: PathBuf,
}

impl Service {
    /// Redis, with more of its options.
    pub(crate) fn redis(name: &str, more: &[&str]) -> Self {
        Service::start(name, |[redis, _], folder, port| {
            let mut command = Command::new(redis);
            command.args(["--bind", "127.0.0.1", "--port", port, "--save", "", "--dir"]).arg(folder).args(more);
            command
        })
    }

    /// A `WebDAV` server.
    pub(crate) fn webdav(name: &str) -> Self {
        Service::start(name, |[_, lighttpd], folder, port| {
            let files = folder.join("files");
            fs::create_dir_all(&files).expect("a folder can be made");
            let shown = folder.display();
            let options = format!(
                "server.document-root = \"{shown}/files\"\nserver.upload-dirs = ( \"{shown}\" )\nserver.port = {port}\n\
                 server.bind = \"127.0.0.1\"\nserver.modules = ( \"mod_webdav\" )\nwebdav.activate = \"enable\"\n"
            );
            let file = folder.join("options");
            fs::write(&file, options).expect("a file can be written");
            let mut command = Command::new(lighttpd);
            command.arg("-D").arg("-f").arg(file);
            command
        })
    }

    fn start(name: &str, command: impl Fn(&[PathBuf; 2], &Path, &str) -> Command) -> Self {
        let programs = PROGRAMS.as_ref().expect("the servers are there");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("services").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder can be made");
        // The port is free now, and is asked for again at once.
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).expect("a port").port();
        let mut command = command(programs, &folder, &port.to_string());
        let process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a server can be started");
        let service = Service { process, host: format!("127.0.0.1:{port}"), folder };
        let start = Instant::now();
        while TcpStream::connect(&service.host).is_err() {
            assert!(start.elapsed() < START, "{name} does not start");
            thread::sleep(Duration::from_millis(20));
        }
        service
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}
