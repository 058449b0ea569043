// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator's bytes into frames, and the gaps between their numbers.

use std::collections::VecDeque;

use irqscope_wire::{Decoder, Failure, Frame, FrameError, Message, greeting_protocol};

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

#[derive(Debug, Default)]
pub struct Incoming {
    decoder: Decoder,
    /// None: no frame has come yet, and a generator may have lived for long.
    expected: Option<u64>,
    /// It said that it cannot work: it will answer nothing.
    pub failed: Option<Failure>,
    /// Bytes before its hello were meant for the host before.
    awaits_hello: bool,
    pub queue: VecDeque<Received>,
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

    pub fn push(&mut self, bytes: &[u8]) {
        let Self { decoder, expected, failed, queue, awaits_hello } = self;
        decoder.push(bytes, |encoded, frame| {
            *awaits_hello &= greeting_protocol(encoded).is_none();
            if *awaits_hello {
                return;
            }
            let missed = frame.as_ref().map_or(0, |frame| missed(expected, frame.number));
            if let Ok(Frame { message: Message::Failed(failure), .. }) = &frame {
                *failed = Some(failure.clone());
            }
            queue.push_back(Received { encoded: encoded.to_vec(), frame, missed });
        });
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
        let missed: Vec<u64> = incoming.queue.iter().map(|received| received.missed).collect();
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
        assert_eq!(incoming.queue.pop_front(), Some(damaged));
        let received = incoming.queue.pop_front().unwrap();
        assert_eq!(received.encoded, sent[..sent.len() - 1]);
        assert_eq!((received.missed, incoming.expected()), (1, Some(7)));
    }

    #[test]
    fn what_was_meant_for_the_host_before_is_passed_over() {
        let mut incoming = Incoming::expecting(Some(3)).awaiting_hello();
        incoming.push(&[&[9, 9, 0], frame(3).as_slice()].concat());
        assert!(incoming.queue.is_empty() && !incoming.is_greeted());
        // One of another version is a hello as well.
        let mut hello = postcard::to_allocvec(&(4u64, 8u32, 77u16, "of another version")).unwrap();
        let sum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&hello);
        hello.extend(sum.to_le_bytes());
        let hello = [cobs::encode_vec(&hello), vec![0]].concat();
        incoming.push(&[hello, frame(5)].concat());
        assert!(incoming.is_greeted());
        assert_eq!(incoming.queue.len(), 2);
        assert!(incoming.queue[0].frame.is_err());
        assert_eq!(greeting_protocol(&incoming.queue[0].encoded), Some(77));
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
