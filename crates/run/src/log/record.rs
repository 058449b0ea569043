// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A log record to bytes and back; the form is described in the module above.

use irqscope_wire::MAX_FRAME_BYTES;
use irqscope_wire::fast::{checksum, uncover};

const PREFIX: usize = 19;
const SUFFIX: usize = 4;

/// The longest encoded record, delimiter excluded: COBS adds one byte, and one
/// more per 254.
pub(crate) const MAX_RECORD_BYTES: usize =
    MAX_FRAME_BYTES + PREFIX + SUFFIX + 2 + (MAX_FRAME_BYTES + PREFIX + SUFFIX) / 254;

/// Whose frame a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// The agent.
    Target = 0,
    /// The generator.
    Generator = 1,
    /// The host's own messages about a case, such as a failure.
    Host = 2,
}

impl Source {
    fn from_byte(byte: u8) -> Option<Self> {
        [Self::Target, Self::Generator, Self::Host].into_iter().find(|s| *s as u8 == byte)
    }
}

/// One record of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Its number.
    pub number: u64,
    /// Since the log was begun.
    pub host_ns: u64,
    /// Index into the manifest's cases.
    pub case: u16,
    /// Its side.
    pub source: Source,
    /// Exactly as received, without the delimiter; see `irqscope_wire::decode`.
    pub frame: Vec<u8>,
}

/// Returns a record's body with its checksum, not yet framed.
pub(crate) fn body(
    number: u64,
    host_ns: u64,
    case: u16,
    source: Source,
    frame: &[u8],
    out: &mut Vec<u8>,
) {
    out.clear();
    out.extend(number.to_le_bytes());
    out.extend(host_ns.to_le_bytes());
    out.extend(case.to_le_bytes());
    out.push(source as u8);
    out.extend(frame);
    out.extend(checksum(out).to_le_bytes());
}

/// Decodes one record, in the caller's memory; `None` if anything about it is wrong.
pub(crate) fn decode(bytes: &[u8], body: &mut Vec<u8>) -> Option<LogRecord> {
    let content = uncover(bytes, body)?;
    Some(LogRecord {
        number: u64::from_le_bytes(array(content, 0)?),
        host_ns: u64::from_le_bytes(array(content, 8)?),
        case: u16::from_le_bytes(array(content, 16)?),
        source: Source::from_byte(*content.get(18)?)?,
        frame: content.get(PREFIX..)?.to_vec(),
    })
}

fn array<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    bytes.get(offset..offset + N)?.try_into().ok()
}
