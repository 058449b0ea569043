// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Places of labgrid, by its own client: a reservation by tags, the place it gets, the resources of that
//! place, and its release. The coordinator is where labgrid-client finds it (`LG_COORDINATOR`).

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use irqscope_rig::Stop;
use saphyr::{LoadableYamlNode, Yaml};

use crate::job::Way;

const CLIENT: &str = "labgrid-client";
const LOOK: Duration = Duration::from_millis(100);
/// How often it is said that a place is waited for.
const SAY: Duration = Duration::from_secs(60);

/// A place that is ours until this is dropped.
#[derive(Debug)]
pub struct Target {
    token: String,
    acquired: bool,
    name: String,
    way: Way,
}

impl Target {
    /// Waits for a place with these tags, and takes it.
    ///
    /// # Errors
    /// There is no client or no coordinator, no place has the tags, or the place has no way to it; or
    /// the fleet is asked to end.
    pub fn reserve(
        tags: &BTreeMap<String, String>,
        log: &Path,
        say: &dyn Fn(&str),
        stop: &Stop,
    ) -> Result<Self, String> {
        let tags: Vec<String> =
            tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let mut words = vec!["reserve", "--shell"];
        words.extend(tags.iter().map(String::as_str));
        let said = client(&words, log)?;
        let token = said.lines().find_map(|line| line.trim().strip_prefix("export LG_TOKEN="));
        let token =
            token.ok_or_else(|| format!("{CLIENT} reserve gave no token: {said}"))?.to_owned();
        let mut target = Self { token, acquired: false, name: String::new(), way: Way::default() };
        target.wait(&tags.join(" "), log, say, stop)?;
        client(&["-p", &target.place(), "acquire"], log)?;
        target.acquired = true;
        target.find_way(log)?;
        Ok(target)
    }

    /// Returns the name of the place.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the way to it.
    pub fn way(&self) -> &Way {
        &self.way
    }

    /// Turns its power off and on; a place without a switch is left as it is.
    pub fn power_cycle(&mut self, log: &Path) {
        let _ = client(&["-p", &self.place(), "power", "cycle"], log);
    }

    fn place(&self) -> String {
        format!("+{}", self.token)
    }

    /// Waits until the reservation has a place. The client's own waiting keeps it from expiring.
    fn wait(
        &mut self,
        tags: &str,
        log: &Path,
        say: &dyn Fn(&str),
        stop: &Stop,
    ) -> Result<(), String> {
        let output = File::options().create(true).append(true).open(log);
        let output = output.map_err(|error| format!("cannot write {}: {error}", log.display()))?;
        let mut waiting = Command::new(CLIENT)
            .args(["wait", &self.token])
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(|error| error.to_string())?)
            .stderr(output)
            .spawn()
            .map_err(|error| format!("cannot run {CLIENT}: {error}"))?;
        let (begin, mut said) = (Instant::now(), Instant::now());
        while waiting.try_wait().map_err(|error| error.to_string())?.is_none() {
            if stop.requested() {
                let _ = waiting.kill().and_then(|()| waiting.wait());
                return Err("asked to end".into());
            }
            if said.elapsed() > SAY {
                said = Instant::now();
                let minutes = begin.elapsed().as_secs() / 60;
                say(&format!("no place of labgrid with {tags} has been free for {minutes} min"));
            }
            thread::sleep(LOOK);
        }
        let all = client(&["reservations"], log)?;
        let of = Reservation::find(&all, &self.token)
            .ok_or_else(|| format!("labgrid has dropped the reservation {}", self.token))?;
        self.name = of.place.ok_or_else(|| {
            format!("labgrid's reservation is {}: it has no place with {tags}", of.state)
        })?;
        Ok(())
    }

    fn find_way(&mut self, log: &Path) -> Result<(), String> {
        let env = client(&["-p", &self.place(), "env"], log)?;
        self.way = way(&env).ok_or_else(|| {
            format!(
                "place {} has no NetworkService, by which it would be reached; labgrid-client -p {0} show",
                self.name
            )
        })?;
        Ok(())
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        let quiet = |words: &[&str]| {
            let _ = Command::new(CLIENT).args(words).stdin(Stdio::null()).output();
        };
        if self.acquired {
            quiet(&["-p", &self.place(), "release"]);
        }
        quiet(&["cancel-reservation", &self.token]);
    }
}

/// A reservation as `labgrid-client reservations` prints it, in YAML.
#[derive(Debug, Default, PartialEq, Eq)]
struct Reservation {
    state: String,
    place: Option<String>,
}

impl Reservation {
    fn find(all: &str, token: &str) -> Option<Self> {
        let all = Yaml::load_from_str(all).ok()?;
        let entries = all.first()?.as_mapping()?;
        let of = entries
            .iter()
            .map(|(_, one)| one)
            .find(|one| text(one, "token").as_deref() == Some(token))?;
        let place = of.as_mapping_get("allocations").and_then(|main| text(main, "main"));
        Some(Self { state: text(of, "state")?, place })
    }
}

/// Finds the way in a place's resources, as `labgrid-client env` prints them in YAML.
fn way(env: &str) -> Option<Way> {
    let env = Yaml::load_from_str(env).ok()?;
    let targets = env.first()?.as_mapping_get("targets")?.as_mapping()?;
    let resources = targets.iter().next()?.1.as_mapping_get("resources")?.as_vec()?;
    let resource = |kind| resources.iter().find_map(|one| one.as_mapping_get(kind));
    let service = resource("NetworkService")?;
    let user = text(service, "username").map_or(String::new(), |user| format!("{user}@"));
    let host = format!("{user}{}", text(service, "address")?);
    let raw = |serial: &&Yaml| text(serial, "protocol").is_none_or(|protocol| protocol == "raw");
    let serial = resource("NetworkSerialPort").filter(raw);
    let connect = serial
        .and_then(|serial| Some(format!("{}:{}", text(serial, "host")?, text(serial, "port")?)));
    let port = text(service, "port").and_then(|port| port.parse().ok());
    Some(Way { host: Some(host), port, connect })
}

/// Returns a value as text, whatever YAML took it for.
fn text(of: &Yaml, name: &str) -> Option<String> {
    let value = of.as_mapping_get(name)?;
    value
        .as_str()
        .map(str::to_owned)
        .or_else(|| value.as_integer().map(|number| number.to_string()))
}

/// Runs labgrid's client, its words also into the job's log.
fn client(words: &[&str], log: &Path) -> Result<String, String> {
    let output = Command::new(CLIENT).args(words).stdin(Stdio::null()).output();
    let Output { status, stdout, stderr } = output.map_err(|error| {
        format!("cannot run {CLIENT}: {error}; install labgrid (pip install labgrid) into the path")
    })?;
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    note(log, &format!("{CLIENT} {}: {status}\n{stdout}{stderr}", words.join(" ")));
    if status.success() {
        return Ok(stdout.into_owned());
    }
    let why = stderr.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    Err(format!("{CLIENT} {} failed: {why}; is LG_COORDINATOR right?", words.join(" ")))
}

fn note(log: &Path, text: &str) {
    if let Ok(mut file) = File::options().create(true).append(true).open(log) {
        let _ = writeln!(file, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENV: &str = "\
targets:
  twin1:
    resources:
    - NetworkSerialPort:
        host: 127.0.0.1
        port: 7000
        protocol: raw
        speed: 115200
    - NetworkService:
        address: 127.0.0.1
        port: 2222
        username: root
";

    #[test]
    fn the_way_is_in_the_resources() {
        let found = way(ENV).unwrap();
        assert_eq!(found.host.as_deref(), Some("root@127.0.0.1"));
        assert_eq!((found.port, found.connect.as_deref()), (Some(2222), Some("127.0.0.1:7000")));
        assert_eq!(way(&ENV.replace("NetworkService", "RawNetworkInterface")), None);
        let console = way(&ENV.replace("raw", "rfc2217")).unwrap();
        assert_eq!(console.connect, None);
    }

    #[test]
    fn a_reservation_is_found_by_its_token() {
        let all = "\
Reservation 'AAAA':
  token: AAAA
  state: waiting
Reservation 'BBBB':
  owner: host/user
  token: BBBB
  state: allocated
  filters:
    main: arch=x86_64
  allocations:
    main: twin7
  created: 2026-11-25 15:00:00.414380
";
        let found = Reservation::find(all, "BBBB").unwrap();
        assert_eq!((found.state.as_str(), found.place.as_deref()), ("allocated", Some("twin7")));
        assert_eq!(Reservation::find(all, "AAAA").unwrap().state, "waiting");
        assert_eq!(Reservation::find(all, "CCCC"), None);
    }
}
