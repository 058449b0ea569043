// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's bytes into frames, and the gaps between their numbers.
//!
//! # Memory
//!
//! Frames wait as they came until they are handed out, and are decoded then: decoded, one takes
//! up to thirty times its bytes. Its bytes, with what the bookkeeping of a frame takes, are
//! bounded by [`ROOM`], whatever the peer sends.

use std::collections::VecDeque;

use irqscope_wire::{
    Decoder, Failure, Frame, FrameError, Message, Refusal, Status, decode, greeting_protocol,
};

/// The most that waits: five seconds, the time of an answer, of the fastest generator.
pub const ROOM: usize = 64 << 20;
/// The number of the host's hello on each connection. It is answered only where it is refused.
pub const HELLO: u64 = 0;
/// Bytes that a frame takes beside its own: an entry of the queue, and an allocation.
const BESIDE: usize = size_of::<Waiting>() + 32;

/// Something that came from a generator.
#[derive(Clone, Debug, PartialEq)]
pub struct Received {
    /// As it came, without its delimiter; empty where it was too long to keep.
    pub encoded: Vec<u8>,
    /// An error is damage, of a kind that TCP should have kept away.
    pub frame: Result<Frame, FrameError>,
    /// Frames that should have come before this one, by their numbers.
    pub missed: u64,
}

/// A frame that waits to be handed out.
#[derive(Debug)]
struct Waiting {
    encoded: Vec<u8>,
    missed: u64,
}

impl Waiting {
    fn size(&self) -> usize {
        self.encoded.len() + BESIDE
    }

    fn decoded(&self) -> Result<Frame, FrameError> {
        if self.encoded.is_empty() { Err(FrameError::Oversized) } else { decode(&self.encoded) }
    }
}

#[derive(Debug, Default)]
pub struct Incoming {
    decoder: Decoder,
    /// None: no frame has come yet, and a generator may have lived for long.
    expected: Option<u64>,
    /// It said that it cannot work: it will answer nothing.
    pub failed: Option<Failure>,
    /// Bytes before its hello were meant for the host before.
    awaits_hello: bool,
    /// The command whose answer is awaited, and the answer once it has come.
    asked: Option<u64>,
    answer: Option<Result<Status, Refusal>>,
    queue: VecDeque<Waiting>,
    /// The sum of what they take.
    size: usize,
    /// There was no room for a frame: nothing more is taken.
    is_full: bool,
}

impl Incoming {
    /// Makes the state of a new connection to a generator whose next frame is this one, or later.
    pub fn expecting(expected: Option<u64>) -> Self {
        Self { expected, ..Self::default() }
    }

    /// Waits for a hello, on a line that does not say when a host comes or goes.
    pub fn awaiting_hello(self) -> Self {
        Self { awaits_hello: true, ..self }
    }

    pub fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// Returns whether a hello came, or there never was any need to wait for one.
    pub fn is_greeted(&self) -> bool {
        !self.awaits_hello
    }

    /// Returns whether the peer has sent more than there is room for.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Looks out for the answer to a command from now on.
    pub fn await_answer(&mut self, number: u64) {
        (self.asked, self.answer) = (Some(number), None);
    }

    /// Takes the answer that is awaited, if it has come.
    pub fn answer(&mut self) -> Option<Result<Status, Refusal>> {
        self.answer.take()
    }

    /// Returns how many frames wait.
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Returns a frame that waits, which stays there.
    pub fn peek(&self, index: usize) -> Option<Received> {
        let waiting = self.queue.get(index)?;
        let (encoded, frame) = (waiting.encoded.clone(), waiting.decoded());
        Some(Received { encoded, frame, missed: waiting.missed })
    }

    /// Takes the frame that has waited longest.
    pub fn pop(&mut self) -> Option<Received> {
        let waiting = self.queue.pop_front()?;
        self.size -= waiting.size();
        let frame = waiting.decoded();
        Some(Received { encoded: waiting.encoded, frame, missed: waiting.missed })
    }

    /// Puts all that waits at an older connection before what waits here.
    pub fn append_to(&mut self, mut older: Self) {
        older.queue.append(&mut self.queue);
        self.queue = older.queue;
        self.size += older.size;
    }

    pub fn push(&mut self, bytes: &[u8]) {
        let Self { decoder, .. } = self;
        let mut decoder = std::mem::take(decoder);
        decoder.push(bytes, |encoded, frame| self.take(encoded, &frame));
        self.decoder = decoder;
    }

    fn take(&mut self, encoded: &[u8], frame: &Result<Frame, FrameError>) {
        self.awaits_hello &= greeting_protocol(encoded).is_none();
        self.is_full |= self.size + encoded.len() + BESIDE > ROOM;
        if self.awaits_hello || self.is_full {
            return;
        }
        let mut gap = 0;
        if let Ok(frame) = frame {
            gap = missed(&mut self.expected, frame.number);
            self.understand(&frame.message);
        }
        let waiting = Waiting { encoded: encoded.to_vec(), missed: gap };
        self.size += waiting.size();
        self.queue.push_back(waiting);
    }

    /// Notes the answer to the command, or to what its damage made of it, and the generator's end.
    fn understand(&mut self, message: &Message) {
        match message {
            Message::Failed(failure) => self.failed = Some(failure.clone()),
            Message::Reply(reply)
                if self.asked.is_some()
                    && self.answer.is_none()
                    && reply.to.is_none_or(|to| to == HELLO || Some(to) == self.asked) =>
            {
                (self.asked, self.answer) = (None, Some(reply.result));
            }
            _ => {}
        }
    }
}

/// Returns how many frames were missed. A number that is lower than expected is a frame that came
/// twice, and leaves what is expected as it was.
fn missed(expected: &mut Option<u64>, number: u64) -> u64 {
    let due = expected.unwrap_or(number);
    *expected = Some(due.max(number.saturating_add(1)));
    number.saturating_sub(due)
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::encode;
    use proptest::prelude::*;

    fn frame(number: u64) -> Vec<u8> {
        encode(&Frame { number, message: Message::Samples(Vec::new()) }).unwrap()
    }

    #[test]
    fn a_gap_in_the_numbers_is_told_with_the_frame_after_it() {
        let mut incoming = Incoming::default();
        for number in [7, 8, 12, 9, 13, u64::MAX, 3] {
            incoming.push(&frame(number));
        }
        let missed: Vec<u64> = incoming.queue.iter().map(|waiting| waiting.missed).collect();
        assert_eq!(missed, [0, 0, 3, 0, 0, u64::MAX - 14, 0]);
    }

    #[test]
    fn what_was_received_is_kept_as_it_came() {
        let mut incoming = Incoming::expecting(Some(5));
        let sent = frame(6);
        incoming.push(&[9, 9, 0]);
        incoming.push(&sent);
        let damaged =
            Received { encoded: vec![9, 9], frame: Err(FrameError::Garbled(2)), missed: 0 };
        assert_eq!(incoming.pop(), Some(damaged));
        let received = incoming.pop().unwrap();
        assert_eq!(received.encoded, sent[..sent.len() - 1]);
        assert_eq!((received.missed, incoming.expected()), (1, Some(7)));
    }

    #[test]
    fn what_was_meant_for_the_host_before_is_passed_over() {
        let mut incoming = Incoming::expecting(Some(3)).awaiting_hello();
        incoming.push(&[&[9, 9, 0], frame(3).as_slice()].concat());
        assert!(incoming.waiting() == 0 && !incoming.is_greeted());
        // One of another version is a hello as well.
        let mut hello = postcard::to_allocvec(&(4u64, 8u32, 77u16, "of another version")).unwrap();
        let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&hello);
        hello.extend(sum.to_le_bytes());
        let hello = [cobs::encode_vec(&hello), vec![0]].concat();
        incoming.push(&[hello, frame(5)].concat());
        assert!(incoming.is_greeted());
        assert_eq!(incoming.waiting(), 2);
        let first = incoming.pop().unwrap();
        assert!(first.frame.is_err());
        assert_eq!(greeting_protocol(&first.encoded), Some(77));
    }

    #[test]
    fn what_waits_is_bounded_by_its_bytes_and_by_its_number() {
        for bytes in [vec![9, 0], frame(3), [vec![7; 1000], vec![0]].concat()] {
            let mut incoming = Incoming::default();
            let each = bytes.len() - 1 + BESIDE;
            let many = bytes.repeat(10_000);
            while !incoming.is_full() {
                incoming.push(&many);
                assert!(incoming.size <= ROOM);
            }
            assert_eq!(incoming.waiting(), ROOM / each);
            incoming.pop().unwrap();
            assert_eq!(incoming.size, (ROOM / each - 1) * each);
        }
    }

    proptest! {
        #[test]
        fn any_numbers_in_any_order_make_a_sum_of_gaps_that_is_true(
            numbers in prop::collection::vec(prop_oneof![0u64..20, any::<u64>()], 1..30),
        ) {
            let mut incoming = Incoming::expecting(Some(0));
            numbers.iter().for_each(|number| incoming.push(&frame(*number)));
            let missed = incoming.queue.iter().fold(0, |sum, it| it.missed.saturating_add(sum));
            // All up to the highest came, or came late, or are missed.
            let highest = numbers.iter().max().copied().unwrap_or(0);
            let new = incoming.queue.iter().zip(&numbers).scan(0u64, |due, (_, number)| {
                let is_new = number >= due;
                *due = (*due).max(number.saturating_add(1));
                Some(u64::from(is_new))
            });
            prop_assert_eq!(missed.saturating_add(new.sum()), highest.saturating_add(1));
        }
    }
}
