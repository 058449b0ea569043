// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The frame decoder on anything: it reports, and never panics.

use std::sync::LazyLock;

use crate::mutate;
use crate::mutate::{apply, body, body_in_corpus, corpus, edits, framed};
use irqscope_wire::{Decoder, Frame, FrameError, MAX_FRAME_BYTES, decode, encode};
use proptest::prelude::*;

fn decode_all(bytes: &[u8], cut: usize) -> Vec<Result<Frame, FrameError>> {
    let (mut decoder, mut frames) = (Decoder::default(), Vec::new());
    for chunk in bytes.chunks(cut.max(1)) {
        decoder.push(chunk, |_, frame| frames.push(frame));
        assert!(decoder.pending() <= MAX_FRAME_BYTES);
    }
    frames
}

#[test]
fn the_corpus_has_every_message_and_each_comes_back() {
    let mut indices: Vec<u8> = corpus().iter().map(|frame| body(frame)[1]).collect();
    indices.dedup();
    indices.sort_unstable();
    indices.dedup();
    assert_eq!(indices, (0..=31).collect::<Vec<u8>>());
    for frame in corpus() {
        assert_eq!(framed(&body(frame)), encode(frame).unwrap());
        assert_eq!(decode_all(&framed(&body(frame)), 7), [Ok(frame.clone())]);
    }
}

proptest! {
    #[test]
    fn damage_behind_the_checksum_is_told_or_is_another_message(
        which in any::<prop::sample::Index>(),
        edits in edits(6),
    ) {
        let damaged = framed(&apply(body_in_corpus(which), &edits));
        match decode(&damaged[..damaged.len() - 1]) {
            Ok(frame) => {
                let again = encode(&frame).unwrap();
                prop_assert_eq!(decode(&again[..again.len() - 1]), Ok(frame));
            }
            Err(error) => prop_assert_eq!(error, FrameError::Garbled(damaged.len() - 1)),
        }
    }

    #[test]
    fn a_damaged_stream_costs_the_frames_that_were_hit_and_no_other(
        edits in edits(4),
        cut in 1usize..600,
    ) {
        static STREAM: LazyLock<Vec<u8>> =
            LazyLock::new(|| corpus().iter().flat_map(|frame| encode(frame).unwrap()).collect());
        let corpus = corpus();
        let got = decode_all(&apply(&STREAM, &edits), cut);
        // An edit touches 40 bytes at most; each frame here is longer than five.
        let right: Vec<&Frame> = got.iter().flatten().collect();
        prop_assert!(right.iter().all(|frame| corpus.contains(frame)));
        let cuts = edits.iter().any(|edit| matches!(edit, mutate::Edit::Cut(_)));
        prop_assert!(cuts || right.len() + 10 * edits.len() >= corpus.len());
    }

    #[test]
    fn the_same_bytes_give_the_same_frames_however_they_are_cut(
        bytes in prop::collection::vec(any::<u8>().prop_map(|byte| if byte < 64 { 0 } else { byte }), 0..2048),
        cut in 1usize..2048,
    ) {
        prop_assert_eq!(decode_all(&bytes, cut), decode_all(&bytes, bytes.len()));
    }
}
