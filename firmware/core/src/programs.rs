// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The PIO programs, the same for both chips. Line and player together take all 32
//! words of one PIO's memory.
//!
//! Every machine first waits for a pin of the board that the processor raises
//! ([`SYNC_PIN`]): the instant that all of them count from, whatever PIO they are
//! in. That cycle is 0; a machine's first instruction after it is executed in
//! cycle 1.
//!
//! A change of a pin is seen some cycles later, by two synchronising flip-flops.
//! That is so for the trigger's input and for the lines alike, and cancels.

use pio::{Program, pio_asm};

/// Goes up when all machines are to start; connected to nothing.
pub const SYNC_PIN: u8 = 12;
/// How many words of a PIO's memory both programs take.
pub const WORDS: usize = 32;

/// Watches one line (the machine's jump pin) and writes down when it changes.
///
/// X is a counter that loses one every two cycles, also while an edge is written
/// down. Useful invariant: the pin is looked at in cycle 1 + 2 n, when n were taken
/// from X. With each edge, X is written as it was at the look that saw it: rising
/// and falling ones in turn, the first a rising one. After a rising edge the next
/// look is 4 cycles later, after a falling one 6.
///
/// The second pair of instructions is for the one loop in 2^32 in which X is 0 and
/// the jump is not taken.
pub fn line() -> Program<WORDS> {
    pio_asm!(
        "    wait 1 gpio 12",
        "low:",
        "    jmp pin rise",
        "    jmp x-- low",
        "    jmp pin rise",
        "    jmp x-- low",
        "rise:",
        "    in x, 32",
        "    jmp x-- rise1",
        "rise1:",
        "    jmp x-- high",
        ".wrap_target",
        "high:",
        "    jmp pin still",
        "    in x, 32",
        "    jmp x-- fall1",
        "fall1:",
        "    jmp x-- fall2",
        "fall2:",
        "    jmp x-- fall3",
        "fall3:",
        "    jmp low",
        "still:",
        "    jmp x-- high",
        ".wrap",
    )
    .program
}

/// Plays triggers on the machine's side-set pin and watches its jump pin, the
/// trigger's own input.
///
/// Two words make a trigger: n > 0, cycles of silence, and h > 0, two cycles each of
/// the high time. With r the cycle in which the pin goes up: the input is looked at
/// in cycles r + 1 + 2 k, k from 0 to h. At the look that sees the trigger h - k is
/// written, or [`UNSEEN`] if none does, then Y; both ways take equally long. See
/// [`crate::Player`] for when what happens.
///
/// With nothing to play, Y loses one every four cycles: how long there was nothing
/// is known to the cycle.
pub fn player() -> Program<WORDS> {
    pio_asm!(
        ".side_set 1",
        "    wait 1 gpio 12    side 0",
        "none:",
        "    jmp y-- idle      side 0",
        ".wrap_target",
        "idle:",
        "    pull noblock      side 0",
        "    mov x, osr        side 0",
        "    jmp !x none       side 0",
        "low:",
        "    jmp x-- low       side 0",
        "    pull block        side 0",
        "    mov x, osr        side 1",
        "high:",
        "    jmp pin seen      side 1",
        "    jmp x-- high      side 1",
        "    in x, 32          side 1", // which has run below 0
        "    in y, 32          side 1",
        "    jmp down          side 1",
        "seen:",
        "    in x, 32          side 1",
        "    in y, 32          side 1",
        "rest:",
        "    jmp x-- rest      side 1 [1]",
        "down:",
        "    set x, 0          side 0",
        ".wrap",
    )
    .program
}

/// The player writes this for a trigger that did not reach its input.
pub const UNSEEN: u32 = u32::MAX;

/// Writes down all lines in every cycle, four cycles in a word, from the cycle after
/// the one in which the trigger is at its own input; see [`crate::Window`].
///
/// The machine's input pins begin with the first line. It ends by having nowhere to
/// write to.
pub fn sampler() -> Program<WORDS> {
    pio_asm!("    wait 0 gpio 11", "    wait 1 gpio 11", ".wrap_target", "    in pins, 8", ".wrap",)
        .program
}

/// Places a program for a PIO's memory from this word on: jumps are absolute.
pub fn placed(program: &Program<WORDS>, origin: u8) -> impl Iterator<Item = u16> + '_ {
    const JUMP: u16 = 0;
    program.code.iter().map(move |word| match word >> 13 {
        JUMP => (word & !0x1f) | ((word & 0x1f) + u16::from(origin)),
        _ => *word,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pio::PioVersion;

    #[test]
    fn both_programs_fit_into_one_pio_of_either_chip() {
        assert_eq!(line().code.len() + player().code.len(), WORDS);
        assert!([line(), player(), sampler()].iter().all(|it| it.version == PioVersion::V0));
        assert!(line().code.len() + sampler().code.len() <= WORDS);
    }

    #[test]
    fn jumps_of_a_placed_program_are_its_own() {
        let (program, origin) = (player(), line().code.len() as u8);
        let inside = u16::from(origin)..WORDS as u16;
        let jumps = placed(&program, origin).filter(|word| word >> 13 == 0);
        assert!(jumps.map(|word| word & 0x1f).all(|target| inside.contains(&target)));
    }
}
