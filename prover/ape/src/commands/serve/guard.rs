//! Who may ask, and what an answer may do.
//!
//! In: a request. Out: an answer with strict headers; a refusal, where it comes from another site.
//!
//! A browser sends requests for any site that it shows. So a request must name this machine as its host, and must not say that it
//! comes from elsewhere. What a site has renamed to this machine's address has another host.
//!
//! Invariant: no other site may read an answer, and no answer is kept.

use axum::extract::Request;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prover::report::page;
use std::sync::LazyLock;

/// What the editor may do: run its own program, ask this server, and show the page of a run.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    // The page of a run is made by the editor, and so comes under this policy too; it has its own besides.
    let [style, program] = page::hashes();
    format!(
        "default-src 'none'; script-src 'self' {program}; style-src 'self' {style}; img-src 'self'; connect-src 'self'; \
         frame-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
});

/// What every answer says beside its policy.
const HEADERS: [(HeaderName, &str); 5] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Refuses what is not for this server, and adds the headers.
pub(super) async fn guard(request: Request, next: Next) -> Response {
    let mut response = match refusal(&request) {
        Some((status, why)) => (status, why).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(&POLICY) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn refusal(request: &Request) -> Option<(StatusCode, &'static str)> {
    let headers = request.headers();
    let Some(host) = host(request) else {
        return Some((StatusCode::FORBIDDEN, "the host must be 127.0.0.1 or localhost\n"));
    };
    let elsewhere = (StatusCode::FORBIDDEN, "this is for the page of this server alone\n");
    let own = format!("http://{host}");
    if only(headers, &header::ORIGIN).is_some_and(|origin| origin != Some(own.as_str())) {
        return Some(elsewhere);
    }
    // Following a link to the page is no harm; asking something is.
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    let follows = request.method() == Method::GET && request.uri().path() == "/";
    if !follows && !matches!(site, None | Some(b"same-origin" | b"none")) {
        return Some(elsewhere);
    }
    let json = only(headers, &header::CONTENT_TYPE).flatten();
    let json = json.is_some_and(|kind| kind.split(';').next().is_some_and(|kind| kind.trim() == "application/json"));
    // A page of another site cannot send this type without being told that it may.
    (request.method() == Method::POST && !json)
        .then_some((StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is no application/json\n"))
}

/// The one value of a header; `None` where it is not there, `Some(None)` where it is there twice or is no text.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<Option<&'h str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    Some(if values.next().is_some() { None } else { first.to_str().ok() })
}

/// The host of a request and its port, if it is a name of this machine. Which port it is depends on who passes it on.
fn host(request: &Request) -> Option<String> {
    let host = only(request.headers(), &header::HOST)??;
    let (name, port) = host.split_once(':').unwrap_or((host, "80"));
    let named = matches!(name, "127.0.0.1" | "localhost") && port.parse::<u16>().is_ok();
    // One that names a host in its first line too must name the same.
    let same = request.uri().authority().is_none_or(|other| other == host);
    (named && same).then(|| host.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    /// A request: its method, its place, its headers; and the status with which it is refused.
    type Row<'r> = (&'r str, &'r str, &'r [(&'r str, &'r str)], u16);

    /// The status with which a request is refused; 0 where it is not.
    fn status(method: &str, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = axum::http::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refusal(&request.body(Body::empty()).expect("this is a request")).map_or(0, |(status, _)| status.as_u16())
    }

    #[test]
    fn only_this_site_may_ask() {
        let here = ("host", "127.0.0.1:7878");
        let json = ("content-type", "application/json");
        let table: [Row<'_>; 18] = [
            ("GET", "/", &[here], 0),
            ("GET", "/", &[("host", "localhost:80")], 0),
            ("GET", "/", &[("host", "localhost")], 0),
            ("GET", "/", &[], 403),
            ("GET", "/", &[here, here], 403),
            ("GET", "/", &[("host", "example.com:7878")], 403),
            ("GET", "/", &[("host", "127.0.0.1.example.com")], 403),
            ("GET", "/", &[("host", "a@127.0.0.1")], 403),
            ("GET", "/", &[("host", "127.0.0.1:port")], 403),
            ("GET", "http://example.com/", &[here], 403),
            ("GET", "/", &[here, ("sec-fetch-site", "cross-site")], 0),
            ("GET", "/api/programs", &[here, ("sec-fetch-site", "cross-site")], 403),
            ("GET", "/api/programs", &[here, ("sec-fetch-site", "same-origin")], 0),
            ("POST", "/api/check", &[here, json, ("origin", "http://127.0.0.1:7878")], 0),
            ("POST", "/api/check", &[here, json, ("origin", "http://127.0.0.1:80")], 403),
            ("POST", "/api/check", &[here, json, ("origin", "null")], 403),
            ("POST", "/api/check", &[here, ("content-type", "text/plain")], 415),
            ("POST", "/api/check", &[here, ("content-type", "application/json; charset=utf-8")], 0),
        ];
        for (method, uri, headers, right) in table {
            assert_eq!(status(method, uri, headers), right, "{method} {uri} {headers:?}");
        }
    }
}
