// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reading what an agent sends, and answering it, whatever leads to it.

use irqscope_wire::HostByte;

use crate::error::Result;
use crate::stop::Stop;

/// Bytes read at once at most.
const READ_BYTES: usize = 1 << 16;

/// A byte stream to an agent and back.
pub(crate) trait AgentLink {
    /// Reads some bytes: none at the end, `None` if nothing came for a moment.
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>>;

    /// Sends one byte to the agent.
    fn send(&mut self, byte: HostByte) -> Result<()>;
}

/// Passes what the agent sends to `take` until the stream ends; an empty slice from time to time
/// while the agent is silent. The byte that `take` returns is sent to the agent, once.
pub(crate) fn read_to_end(
    link: &mut impl AgentLink,
    stop: &Stop,
    take: &mut dyn FnMut(&[u8]) -> Result<Option<HostByte>>,
) -> Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    let mut sent = None;
    loop {
        stop.check()?;
        let answer = match link.read(&mut buffer)? {
            Some(0) => return Ok(()),
            length => take(&buffer[..length.unwrap_or(0)])?,
        };
        if let Some(byte) = answer.filter(|_| sent != answer) {
            sent = answer;
            link.send(byte)?;
        }
    }
}
