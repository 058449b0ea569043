// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where a generator is, as people write it.

use std::path::PathBuf;

use super::error::GeneratorError;

/// The speed of the board's image where it was built without another.
pub const BAUD: u32 = 921_600;

/// `HOST:PORT`, `tcp://HOST:PORT`, either with `?secret-file=PATH`, or `serial:///dev/ttyX[?baud=N]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// As a resolver takes it, `host:port`, and the file of the secret that the generator asks for.
    #[allow(missing_docs, reason = "types say it")]
    Tcp { host: String, secret_file: Option<PathBuf> },
    /// A terminal device, and bits per second.
    #[allow(missing_docs, reason = "types say it")]
    Serial { path: PathBuf, baud: u32 },
}

impl std::str::FromStr for Address {
    type Err = GeneratorError;

    fn from_str(text: &str) -> Result<Self, GeneratorError> {
        let parsed = match text.split_once("://") {
            None => tcp(text),
            Some(("tcp", rest)) => tcp(rest),
            Some(("serial", rest)) => serial(rest),
            Some(_) => None,
        };
        parsed.ok_or_else(|| GeneratorError::WrongAddress { address: text.to_owned() })
    }
}

fn tcp(text: &str) -> Option<Address> {
    let (place, secret_file) = match text.split_once('?') {
        None => (text, None),
        Some((place, option)) => {
            let path = option.strip_prefix("secret-file=").filter(|path| !path.is_empty())?;
            (place, Some(PathBuf::from(path)))
        }
    };
    let (host, port) = place.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    let host = (!host.is_empty() && !host.contains('/')).then(|| format!("{host}:{port}"))?;
    Some(Address::Tcp { host, secret_file })
}

fn serial(text: &str) -> Option<Address> {
    let (path, options) = text.split_once('?').unwrap_or((text, ""));
    let baud = match options {
        "" => BAUD,
        options => options.strip_prefix("baud=")?.parse().ok()?,
    };
    path.starts_with('/').then(|| Address::Serial { path: path.into(), baud })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_a_port_need_no_scheme() {
        let at = |host: &str| Address::Tcp { host: host.into(), secret_file: None };
        let here = at("board:7000");
        assert_eq!("board:7000".parse::<Address>().unwrap(), here);
        assert_eq!("tcp://board:7000".parse::<Address>().unwrap(), here);
        let six = at("[::1]:7000");
        assert_eq!("tcp://[::1]:7000".parse::<Address>().unwrap(), six);
    }

    #[test]
    fn a_secret_is_named_by_its_file() {
        let secret_file = Some(PathBuf::from("/home/me/of=a?board"));
        let here = Address::Tcp { host: "board:7000".into(), secret_file };
        for text in ["board:7000", "tcp://board:7000"] {
            let text = format!("{text}?secret-file=/home/me/of=a?board");
            assert_eq!(text.parse::<Address>().unwrap(), here);
        }
    }

    #[test]
    fn a_serial_line_has_a_device_and_perhaps_a_speed() {
        let path = PathBuf::from("/dev/ttyUSB0");
        let usual = Address::Serial { path: path.clone(), baud: BAUD };
        assert_eq!("serial:///dev/ttyUSB0".parse::<Address>().unwrap(), usual);
        let fast = Address::Serial { path, baud: 3_000_000 };
        assert_eq!("serial:///dev/ttyUSB0?baud=3000000".parse::<Address>().unwrap(), fast);
    }

    #[test]
    fn anything_else_is_told_with_what_is_right() {
        for wrong in [
            "",
            "board",
            "board:",
            ":7000",
            "board:70000",
            "board:7000?secret-file=",
            "board:7000?secret=correct-horse-battery",
            "udp://board:7000",
            "/dev/ttyUSB0",
            "serial://ttyUSB0",
            "serial:///dev/ttyUSB0?speed=9600",
            "serial:///dev/ttyUSB0?baud=fast",
            "tcp:///dev/ttyUSB0:1",
        ] {
            let error = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("serial:///dev/ttyACM0"), "{wrong}: {error}");
        }
    }
}
