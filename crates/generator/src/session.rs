// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One host's connection, as far as it is understood: what its frames ask for,
//! or why they are refused.

use irqscope_wire::{
    Command, Frame, FrameError, MAX_FRAME_BYTES, Message, PROTOCOL, Proof, Refusal,
};

/// The meaning of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// The host's hello, with what proves that it knows the generator's secret: nothing to answer.
    Hello(Option<Proof>),
    /// To be done and answered, with the number of its frame.
    Command(u64, Command),
    /// To be answered so.
    Refused(Option<u64>, Refusal),
    /// To be answered so; then the connection is closed.
    Close(Option<u64>, Refusal),
}

/// Make one per connection.
#[derive(Clone, Debug)]
pub struct Session {
    /// The longest frame that is read.
    limit: u32,
    expected: u64,
    greeted: bool,
}

impl Default for Session {
    fn default() -> Self {
        Self::limited(MAX_FRAME_BYTES as u32)
    }
}

impl Session {
    /// Makes a session with a decoder of the same limit.
    pub const fn limited(limit: u32) -> Self {
        Self { limit, expected: 0, greeted: false }
    }

    /// Takes what a host has sent.
    pub fn receive(&mut self, frame: Result<Frame, FrameError>) -> Request {
        let frame = match frame {
            Ok(frame) => frame,
            Err(FrameError::Oversized) => {
                return Request::Refused(None, Refusal::Oversized { limit: self.limit });
            }
            Err(FrameError::Garbled(bytes)) => {
                let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
                return Request::Refused(None, Refusal::Garbled { bytes });
            }
            // Nothing that was received is unencodable.
            Err(FrameError::Unencodable) => return Request::Refused(None, Refusal::NoCommand),
        };
        let (number, expected) = (frame.number, self.expected);
        if number != expected {
            return Request::Refused(Some(number), Refusal::OutOfSequence { number, expected });
        }
        self.expected += 1;
        self.understand(number, frame.message)
    }

    fn understand(&mut self, number: u64, message: Message) -> Request {
        match message {
            Message::Hello(hello) if hello.protocol != PROTOCOL => {
                let (theirs, ours) = (hello.protocol, PROTOCOL);
                Request::Close(Some(number), Refusal::OtherProtocol { theirs, ours })
            }
            Message::Hello(hello) => {
                self.greeted = true;
                Request::Hello(hello.proof)
            }
            _ if !self.greeted => Request::Close(Some(number), Refusal::NoHello),
            Message::Command(command) => Request::Command(number, command),
            _ => Request::Refused(Some(number), Refusal::NoCommand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Hello;

    fn hello(protocol: u16) -> Message {
        Message::Hello(Hello {
            protocol,
            kind: "host".into(),
            tool_version: "0".into(),
            proof: None,
        })
    }

    fn receive(session: &mut Session, number: u64, message: Message) -> Request {
        session.receive(Ok(Frame { number, message }))
    }

    #[test]
    fn a_hello_and_commands_in_order_are_heard() {
        let mut session = Session::default();
        assert_eq!(receive(&mut session, 0, hello(PROTOCOL)), Request::Hello(None));
        let stop = || Message::Command(Command::Stop);
        assert_eq!(receive(&mut session, 1, stop()), Request::Command(1, Command::Stop));
        let refusal = Refusal::OutOfSequence { number: 1, expected: 2 };
        assert_eq!(receive(&mut session, 1, stop()), Request::Refused(Some(1), refusal));
        let refusal = Refusal::OutOfSequence { number: 9, expected: 2 };
        assert_eq!(receive(&mut session, 9, stop()), Request::Refused(Some(9), refusal));
        assert_eq!(receive(&mut session, 2, stop()), Request::Command(2, Command::Stop));
    }

    #[test]
    fn another_protocol_and_a_missing_hello_close_the_connection() {
        let refusal = Refusal::OtherProtocol { theirs: 99, ours: PROTOCOL };
        let heard = receive(&mut Session::default(), 0, hello(99));
        assert_eq!(heard, Request::Close(Some(0), refusal));
        let heard = receive(&mut Session::default(), 0, Message::Command(Command::Stop));
        assert_eq!(heard, Request::Close(Some(0), Refusal::NoHello));
    }

    #[test]
    fn damage_is_refused_and_uses_up_no_number() {
        let mut session = Session::default();
        let refusal = Refusal::Garbled { bytes: 7 };
        assert_eq!(session.receive(Err(FrameError::Garbled(7))), Request::Refused(None, refusal));
        let refusal = Refusal::Oversized { limit: MAX_FRAME_BYTES as u32 };
        assert_eq!(session.receive(Err(FrameError::Oversized)), Request::Refused(None, refusal));
        assert_eq!(receive(&mut session, 0, hello(PROTOCOL)), Request::Hello(None));
    }
}
