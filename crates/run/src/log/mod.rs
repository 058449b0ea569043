// SPDX-License-Identifier: Apache-2.0 OR MIT
//! run.log: every frame as received, in order of arrival.
//!
//! The file begins with [`LOG_HEADER`]. Then come records, each
//! `COBS(body ++ CRC-32 of body) ++ 0x00`, so that a reader finds the next
//! record after any damage. A body is, all numbers little-endian:
//!
//! | offset | field                                                       |
//! | ------ | ----------------------------------------------------------- |
//! | 0      | number of the record, u64, from 0 without gaps              |
//! | 8      | host_ns, u64: nanoseconds since the log was begun           |
//! | 16     | case, u16: index into the manifest's cases                  |
//! | 18     | source, u8: 0 target, 1 generator, 2 host                   |
//! | 19     | the frame as received, without its delimiter                |

mod reader;
mod record;
mod writer;

pub use reader::{LogHealth, LogReader};
pub(crate) use record::decode as decode_record;
pub use record::{LogRecord, Source};
pub use writer::LogWriter;

/// Magic and, in its last byte, the format's version.
pub const LOG_HEADER: [u8; 8] = *b"IRQSLOG\x01";
