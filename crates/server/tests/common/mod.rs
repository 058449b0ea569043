// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A server that really listens, and requests as they are on the wire: a library
//! would mend what these tests are to break.

pub mod generator;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use irqscope_server::{Options, Page, Server, Session};
use serde_json::Value;

/// No test waits longer for anything.
pub const LIMIT: Duration = Duration::from_secs(60);

pub struct Served {
    pub server: Server,
    pub session: Session,
    pub dir: tempfile::TempDir,
}

pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Served {
    pub fn on_loopback() -> Self {
        Self::listening("127.0.0.1:0")
    }

    pub fn listening(address: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("page");
        std::fs::create_dir_all(&page).unwrap();
        std::fs::write(page.join("index.html"), "<!doctype html><title>page</title>").unwrap();
        let session = Session::new(&dir.path().join("runs"), "test", vec!["test".into()]);
        let listen = address.parse().unwrap();
        let (names, allow) = (vec!["scope.lan".into()], Vec::new());
        let options = Options { listen, names, allow, page: Page::Directory(page), lake: None };
        let server = Server::start(options, session.clone()).unwrap();
        Self { server, session, dir }
    }

    pub fn runs(&self) -> PathBuf {
        self.dir.path().join("runs")
    }

    /// Returns the address by loopback, wherever it listens.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::new([127, 0, 0, 1].into(), self.server.address().port())
    }

    pub fn host(&self) -> String {
        self.address().to_string()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n", self.host()), "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let host = self.host();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n\
             Content-Type: application/json\r\n"
        );
        self.ask(&head, body)
    }

    /// Sends a request; `head`: all of it but the length and its end.
    pub fn ask(&self, head: &str, body: &str) -> Answer {
        let length = body.len();
        let text = format!("{head}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}");
        self.send(text.as_bytes())
    }

    pub fn send(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // It may be refused, and the connection closed, before all was sent.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        Answer::parse(&all)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        stream
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.session.close();
    }
}

impl Answer {
    fn parse(all: &[u8]) -> Self {
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer");
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap();
        let body = all[end + 4..].to_vec();
        let body = if head.to_lowercase().contains("transfer-encoding: chunked") {
            unchunked(&body)
        } else {
            body
        };
        Self { status, head, body }
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub fn good(self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// Checks that it is refused with this status and code.
    pub fn refused(&self, status: u16, code: &str) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        let error = &self.json()["error"];
        assert_eq!(error["code"], code, "{error}");
        assert!(error["what"].as_str().is_some_and(|what| !what.is_empty()), "{error}");
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value)
    }
}

fn unchunked(mut body: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(&String::from_utf8_lossy(&body[..end]), 16).unwrap();
        if size == 0 {
            break;
        }
        all.extend_from_slice(&body[end + 2..end + 2 + size]);
        body = &body[end + 4 + size..];
    }
    all
}

/// Waits until it is so.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Makes a directory that looks like a run from afar.
pub fn pretend_run(runs: &Path, name: &str) {
    std::fs::create_dir_all(runs.join(name)).unwrap();
    for file in ["manifest.json", "run.log"] {
        std::fs::write(runs.join(name).join(file), "{}").unwrap();
    }
}
