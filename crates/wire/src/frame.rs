// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames to bytes and back: `COBS(postcard(frame) ++ CRC-32) ++ 0x00`.

use alloc::vec::Vec;
use crc::{CRC_32_ISO_HDLC, Crc};

use crate::Frame;

/// The longest encoded frame a reader accepts, delimiter excluded.
pub const MAX_FRAME_BYTES: usize = 1 << 20;

const CRC: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

#[allow(missing_docs, reason = "each message says it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error(
        "frame is longer than {MAX_FRAME_BYTES} bytes; the other side does not speak this protocol"
    )]
    Oversized,
    #[error("frame of {0} bytes is garbled (framing, checksum or content)")]
    Garbled(usize),
    #[error("frame does not fit its encoding")]
    Unencodable,
}

/// Encodes a frame with its delimiter.
///
/// # Errors
/// It is longer than [`MAX_FRAME_BYTES`].
pub fn encode(frame: &Frame) -> Result<Vec<u8>, FrameError> {
    let body =
        postcard::to_allocvec_crc32(frame, CRC.digest()).map_err(|_| FrameError::Unencodable)?;
    let mut bytes = cobs::encode_vec(&body);
    if bytes.len() > MAX_FRAME_BYTES {
        return Err(FrameError::Oversized);
    }
    bytes.push(0);
    Ok(bytes)
}

/// Decodes one frame, given without its delimiter.
///
/// # Errors
/// It is damaged, or not a frame of this protocol.
pub fn decode(bytes: &[u8]) -> Result<Frame, FrameError> {
    let garbled = FrameError::Garbled(bytes.len());
    let body = cobs::decode_vec(bytes).map_err(|_| garbled)?;
    postcard::from_bytes_crc32(&body, CRC.digest()).map_err(|_| garbled)
}

/// Returns the protocol that a generator's hello names, given without its delimiter. A hello of any
/// version begins alike: the frame's number, the message's, and this. None: something else, or
/// damaged.
pub fn greeting_protocol(bytes: &[u8]) -> Option<u16> {
    const GENERATOR_HELLO: u32 = 8;
    let body = cobs::decode_vec(bytes).ok()?;
    let (content, sum) = body.split_last_chunk::<4>()?;
    let ((_, message, protocol), _): ((u64, u32, u16), _) =
        postcard::take_from_bytes(content).ok()?;
    let sound = CRC.checksum(content) == u32::from_le_bytes(*sum);
    (sound && message == GENERATOR_HELLO).then_some(protocol)
}

/// Cuts a byte stream into frames. Memory is bounded by [`MAX_FRAME_BYTES`], or
/// the limit given, plus one `push`.
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    pending: Vec<u8>,
    /// An oversized frame is being passed over until its delimiter.
    skipping: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::limited(MAX_FRAME_BYTES)
    }
}

impl Decoder {
    /// Makes a decoder with less memory than the longest frame takes.
    pub const fn limited(limit: usize) -> Self {
        Self { limit, pending: Vec::new(), skipping: false }
    }

    /// Takes bytes as they arrive and hands out, with the encoded bytes, every
    /// frame that they complete.
    pub fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8], Result<Frame, FrameError>)) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            self.extend(&rest[..end], &mut take);
            if !self.skipping && !self.pending.is_empty() {
                take(&self.pending, decode(&self.pending));
            }
            self.pending.clear();
            self.skipping = false;
            rest = &rest[end + 1..];
        }
        self.extend(rest, &mut take);
    }

    /// Returns the bytes of a frame that has begun but not ended.
    pub fn pending(&self) -> usize {
        self.pending.len()
    }

    fn extend(&mut self, bytes: &[u8], take: &mut impl FnMut(&[u8], Result<Frame, FrameError>)) {
        if self.skipping {
            return;
        }
        if self.pending.len() + bytes.len() > self.limit {
            take(&[], Err(FrameError::Oversized));
            self.pending.clear();
            self.skipping = true;
            return;
        }
        self.pending.extend_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cycles, Message, Nanoseconds, Outcome, Response, Sample, Seq, Stage};
    use proptest::prelude::*;

    #[test]
    fn a_greeting_of_any_version_names_its_protocol() {
        let framed =
            |body: &[u8]| cobs::encode_vec(&[body, &CRC.checksum(body).to_le_bytes()].concat());
        let hello = postcard::to_allocvec(&(4u64, 8u32, 777u16, "of another version")).unwrap();
        assert_eq!(greeting_protocol(&framed(&hello)), Some(777));
        let other = postcard::to_allocvec(&(4u64, 12u32, 777u16)).unwrap();
        assert_eq!(greeting_protocol(&framed(&other)), None);
        let mut damaged = framed(&hello);
        damaged[7] ^= 1;
        assert_eq!(greeting_protocol(&damaged), None);
        assert_eq!(greeting_protocol(&[]), None);
    }

    fn sample_frame(number: u64, latency: i64) -> Frame {
        let response = Response {
            stage: Stage::Softirq,
            outcome: Outcome::Answered { latency, cpu: 0, interrupts: 1, executed: None },
        };
        let sample = Sample {
            seq: Seq(number),
            trigger_cycles: Cycles(u64::MAX - number),
            trigger_ns: Nanoseconds(1_000_000),
            responses: vec![response],
        };
        Frame { number, message: Message::Samples(vec![sample]) }
    }

    fn decode_all(decoder: &mut Decoder, bytes: &[u8]) -> Vec<Result<Frame, FrameError>> {
        let mut frames = Vec::new();
        decoder.push(bytes, |_, frame| frames.push(frame));
        frames
    }

    #[test]
    fn an_oversized_frame_is_told_once_and_the_next_one_is_read() {
        let mut bytes = vec![7u8; MAX_FRAME_BYTES + 2];
        bytes.push(0);
        bytes.extend(encode(&sample_frame(3, 4)).unwrap());
        let mut decoder = Decoder::default();
        let mut frames = Vec::new();
        for chunk in bytes.chunks(4096) {
            decoder.push(chunk, |_, frame| frames.push(frame));
        }
        assert_eq!(frames, [Err(FrameError::Oversized), Ok(sample_frame(3, 4))]);
    }

    proptest! {
        #[test]
        fn frames_survive_any_cutting_of_the_stream(
            latencies in prop::collection::vec(any::<i64>(), 1..20),
            cut in 1usize..64,
        ) {
            let sent: Vec<Frame> =
                latencies.iter().enumerate().map(|(n, l)| sample_frame(n as u64, *l)).collect();
            let bytes: Vec<u8> = sent.iter().flat_map(|f| encode(f).unwrap()).collect();
            let mut decoder = Decoder::default();
            let got: Vec<Frame> = bytes
                .chunks(cut)
                .flat_map(|chunk| decode_all(&mut decoder, chunk))
                .collect::<Result<_, _>>()
                .unwrap();
            prop_assert_eq!(got, sent);
        }

        #[test]
        fn a_damaged_byte_never_goes_unseen(position in 0usize..20, flip in 1u8..=255) {
            let mut bytes = encode(&sample_frame(1, 2)).unwrap();
            let position = position % (bytes.len() - 1);
            bytes[position] ^= flip;
            let frames = decode_all(&mut Decoder::default(), &bytes);
            prop_assert!(frames.iter().all(|frame| frame.is_err()));
        }

        #[test]
        fn any_bytes_decode_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
            let _ = decode_all(&mut Decoder::default(), &bytes);
        }
    }
}
