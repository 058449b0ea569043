// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Each line of what keeps the dashboard safe, against a server that listens.

use std::io::{Read, Write};

use crate::common::{Served, pretend_run, until};

const CONNECT: &str = "/api/generator/connect";

#[test]
fn it_is_open_on_loopback_without_a_token() {
    let served = Served::on_loopback();
    assert!(served.server.token().is_none());
    assert_eq!(served.get("/api/hello").good()["api"], 3);
}

#[test]
fn beyond_loopback_nobody_is_let_in_without_the_token() {
    let served = Served::listening("0.0.0.0:0");
    let token = served.server.token().unwrap().as_str().to_owned();
    assert!(served.server.link().contains(&token));
    for path in ["/", "/api/hello", "/api/runs", "/api/live", "/nothing"] {
        served.get(path).refused(401, "no_token");
    }
    served.post("/api/stop", "{}").refused(401, "no_token");
    served.get("/?token=0000").refused(401, "no_token");
    let head = format!("GET /api/hello HTTP/1.1\r\nHost: {}\r\n", served.host());
    let wrong = format!("{head}Authorization: Bearer {}x\r\n", &token[1..]);
    served.ask(&wrong, "").refused(401, "no_token");
    let right = format!("{head}Authorization: Bearer {token}\r\n");
    assert_eq!(served.ask(&right, "").status, 200);
}

#[test]
fn a_link_with_the_token_becomes_a_cookie_and_leaves_the_address() {
    let served = Served::listening("0.0.0.0:0");
    let token = served.server.token().unwrap().as_str().to_owned();
    let entered = served.get(&format!("/?case=a&token={token}"));
    assert_eq!((entered.status, entered.header("location")), (303, Some("/?case=a")));
    let cookie = entered.header("set-cookie").unwrap();
    for word in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    let pair = cookie.split(';').next().unwrap();
    let head = format!("GET / HTTP/1.1\r\nHost: {}\r\nCookie: a=b; {pair}\r\n", served.host());
    assert_eq!(served.ask(&head, "").status, 200);
}

#[test]
fn a_rebound_name_in_the_host_header_is_refused() {
    let served = Served::on_loopback();
    let port = served.address().port();
    for host in ["evil.example".to_owned(), format!("evil.example:{port}"), "127.0.0.1:1".into()] {
        let head = format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\n");
        served.ask(&head, "").refused(403, "foreign_host");
    }
    let twice = format!("GET / HTTP/1.1\r\nHost: {0}\r\nHost: {0}\r\n", served.host());
    served.ask(&twice, "").refused(403, "foreign_host");
    let good = format!("GET /api/runs HTTP/1.1\r\nHost: localhost:{port}\r\n");
    assert_eq!(served.ask(&good, "").status, 200);
}

#[test]
fn beyond_loopback_only_addresses_and_given_names_are_hosts() {
    let served = Served::listening("0.0.0.0:0");
    let (port, token) = (served.address().port(), served.server.token().unwrap().as_str());
    let status = |name: &str| {
        let bearer = format!("Authorization: Bearer {token}\r\n");
        let head = format!("GET /api/hello HTTP/1.1\r\nHost: {name}:{port}\r\n{bearer}");
        served.ask(&head, "").status
    };
    assert_eq!((status("scope.lan"), status("192.0.2.7"), status("evil.example")), (200, 200, 403));
}

#[test]
fn a_foreign_origin_changes_nothing_and_reads_nothing() {
    let served = Served::on_loopback();
    let host = served.host();
    for origin in ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1", ""] {
        let head = format!(
            "POST /api/stop HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n\
             Content-Type: application/json\r\n"
        );
        served.ask(&head, "{}").refused(403, "foreign_origin");
        let head = format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n");
        served.ask(&head, "").refused(403, "foreign_origin");
    }
    for site in ["cross-site", "same-site"] {
        let head = format!("GET /api/runs HTTP/1.1\r\nHost: {host}\r\nSec-Fetch-Site: {site}\r\n");
        served.ask(&head, "").refused(403, "foreign_origin");
    }
    served.post("/api/stop", "{}").refused(409, "not_running");
    // No other site may read an answer either.
    assert_eq!(served.get("/api/runs").header("access-control-allow-origin"), None);
}

#[test]
fn what_changes_something_takes_a_post_with_json() {
    let served = Served::on_loopback();
    let host = served.host();
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"] {
        let head = format!("POST {CONNECT} HTTP/1.1\r\nHost: {host}\r\nContent-Type: {kind}\r\n");
        served.ask(&head, "{\"address\": \"127.0.0.1:1\"}").refused(415, "not_json");
    }
    let bare = format!("POST {CONNECT} HTTP/1.1\r\nHost: {host}\r\n");
    served.ask(&bare, "{}").refused(415, "not_json");
    for path in [CONNECT, "/api/stop", "/api/generator/start", "/api/scenario/start"] {
        served.get(path).refused(405, "bad_method");
    }
    served.post("/api/runs", "{}").refused(405, "bad_method");
    served.post("/", "{}").refused(405, "bad_method");
}

#[test]
fn garbage_and_unknown_fields_are_refused() {
    let served = Served::on_loopback();
    for body in ["", "{", "[]", "{\"address\": 5}", "{\"address\": \"a\", \"more\": 1}"] {
        served.post(CONNECT, body).refused(400, "bad_request");
    }
    served.post("/api/generator/set", "{\"period\": 5}").refused(400, "bad_request");
    served
        .post("/api/scenario/start", "{\"scenario\": \"/etc/passwd.toml\"}")
        .refused(400, "bad_request");
    served.get("/api/compare?base=a").refused(400, "bad_request");
    served.get("/api/live?series=nonsense").refused(400, "bad_request");
}

#[test]
fn the_policy_is_strict_on_every_answer() {
    let served = Served::on_loopback();
    for path in ["/", "/stages.css", "/api/hello", "/api/nothing", "/nothing"] {
        let answer = served.get(path);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"));
        assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
    }
}

#[test]
fn no_path_of_a_run_leaves_the_runs_directory() {
    let served = Served::on_loopback();
    let runs = served.runs();
    pretend_run(&runs, "real");
    pretend_run(served.dir.path(), "outside");
    std::fs::write(served.dir.path().join("secret"), "secret").unwrap();
    std::os::unix::fs::symlink(served.dir.path().join("outside"), runs.join("linked")).unwrap();
    std::os::unix::fs::symlink(served.dir.path().join("secret"), runs.join("real/link")).unwrap();
    let names = [
        "..",
        "%2e%2e",
        "%2E%2E%2Foutside",
        "..%2foutside",
        "..%5coutside",
        "linked",
        ".hidden",
        "real%00",
        "real%2F",
        "real%2f..%2f..%2foutside",
        "%2Fetc",
        "%ff",
        ".",
        "none",
    ];
    for name in names {
        for rest in ["", "/series?case=a", "/files/manifest.json", "/report", "/export/csv"] {
            let answer = served.get(&format!("/api/runs/{name}{rest}"));
            assert!(matches!(answer.status, 400 | 404), "{name}{rest}: {}", answer.status);
            assert!(!String::from_utf8_lossy(&answer.body).contains("secret"));
        }
        let compared = served.get(&format!("/api/compare?base={name}&other=real"));
        assert!(matches!(compared.status, 400 | 404), "{name}: {}", compared.status);
    }
    for file in
        ["link", "../../secret", "..%2f..%2fsecret", "%2e%2e/%2e%2e/secret", "%2fetc%2fpasswd"]
    {
        let answer = served.get(&format!("/api/runs/real/files/{file}"));
        assert!(answer.status >= 400, "{file}: {}", answer.status);
        assert!(!String::from_utf8_lossy(&answer.body).contains("secret"), "{file}");
    }
    for path in ["/../secret", "/%2e%2e/secret", "/..%2fsecret", "/a/../../secret", "//etc/passwd"]
    {
        let answer = served.get(path);
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
    }
}

#[test]
fn an_oversized_body_is_refused() {
    let served = Served::on_loopback();
    let body = format!("{{\"address\": \"{}\"}}", "a".repeat(65 * 1024));
    served.post(CONNECT, &body).refused(413, "too_large");
    let just = format!("{{\"address\": \"{}\"}}", "a".repeat(63 * 1024));
    assert_ne!(served.post(CONNECT, &just).status, 413);
    // Its head likewise.
    let head =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n", served.host(), "a".repeat(1 << 17));
    assert_eq!(served.ask(&head, "").status, 431);
}

#[test]
fn there_is_an_end_to_connections_and_streams_and_room_again_when_they_go() {
    let served = Served::on_loopback();
    let live = format!("GET /api/live HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
    let open = || {
        let mut stream = served.connect();
        stream.write_all(live.as_bytes()).unwrap();
        let mut first = [0; 512];
        let length = stream.read(&mut first).unwrap();
        let status =
            String::from_utf8_lossy(&first[..length]).split(' ').nth(1).unwrap().to_owned();
        (stream, status)
    };
    let streams: Vec<_> = (0..16).map(|_| open()).collect();
    assert!(streams.iter().all(|(_, status)| status == "200"));
    assert_eq!(open().1, "503");
    drop(streams);
    until("room for a stream again", || (open().1 == "200").then_some(()));
    let hello = format!("GET /api/hello HTTP/1.1\r\nHost: {}\r\n\r\n", served.host());
    let used = || {
        let mut stream = served.connect();
        stream.write_all(hello.as_bytes()).unwrap();
        assert!(stream.read(&mut [0; 512]).unwrap() > 0);
        stream
    };
    let used: Vec<_> = (0..64).map(|_| used()).collect();
    until("all are counted", || (served.get("/api/hello").status == 503).then_some(()));
    drop(used);
    until("room for a connection again", || (served.get("/api/hello").status == 200).then_some(()));
}

#[test]
fn connections_that_say_nothing_give_way_to_those_that_ask() {
    let served = Served::on_loopback();
    let mut idle: Vec<_> = (0..200).map(|_| served.connect()).collect();
    // Half a head is no request.
    idle.iter_mut().for_each(|stream| drop(stream.write_all(b"GET / HTTP/1.1\r\n")));
    for _ in 0..20 {
        assert_eq!(served.get("/api/hello").status, 200);
    }
}

#[test]
fn files_and_devices_cannot_be_opened_by_their_paths() {
    let served = Served::on_loopback();
    let file = served.dir.path().join("secret");
    std::fs::write(&file, "secret").unwrap();
    for path in [file.to_str().unwrap(), "/nowhere", "/dev/tty", "/dev/ttyS0", "/dev/watchdog"] {
        let body = format!("{{\"address\": \"serial://{path}\"}}");
        served.post(CONNECT, &body).refused(403, "not_allowed");
    }
}

#[test]
fn beyond_loopback_no_address_is_connected_to_that_was_not_allowed() {
    let served = Served::listening("0.0.0.0:0");
    let token = served.server.token().unwrap().as_str();
    let head = format!(
        "POST {CONNECT} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Authorization: Bearer {token}\r\n",
        served.host()
    );
    served.ask(&head, "{\"address\": \"127.0.0.1:1\"}").refused(403, "not_allowed");
}
