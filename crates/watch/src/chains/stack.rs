// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernel's stack where a timer's interrupt came late: beyond the interrupt's own functions is the
//! instruction at which the CPU took it, which is the one that enabled interrupts again.

use std::iter::once;

use hashbrown::HashMap;

/// Different texts that are kept; what comes in more places than these has none.
const MOST: usize = 4_096;
/// Functions of a stack that are kept at most (bpf/watch.bpf.c).
const FRAMES: usize = 24;
/// Callers that are named.
const CALLERS: usize = 3;
/// Functions that say nothing by themselves: they unlock, or enable interrupts (out of line on arm64 and riscv64).
const HELPERS: [&str; 2] = ["_raw_", "arch_local_irq_"];

/// Says what let an interrupt wait, by the names of the stack's functions, the innermost first. `None`: the
/// interrupt's entry is not among them, as in a thread that executes softirqs, or the stack ends with it where the
/// CPU cannot have been in user space, or was cut off there.
pub fn held_off(names: &[String], was_user_possible: bool) -> Option<String> {
    let entry = (0..names.len()).find(|place| is_entry(names, *place))?;
    let interrupted = &names[entry + 1..];
    let is_helper = |name: &&String| HELPERS.iter().any(|begin| name.starts_with(begin));
    let mut blamed = interrupted.iter().skip_while(is_helper);
    let Some(function) = blamed.next().or(interrupted.first()) else {
        let is_whole = names.len() < FRAMES;
        return (was_user_possible && is_whole).then(|| "stood still in user space".into());
    };
    let way: Vec<&str> = once(function).chain(blamed.take(CALLERS)).map(String::as_str).collect();
    Some(format!("interrupts disabled: {}", way.join(" < ")))
}

/// Returns whether the kernel's entry of an interrupt has this place (arch/x86/include/asm/idtentry.h,
/// arch/arm64/kernel/entry.S, arch/riscv/kernel/entry.S, where exceptions share it).
fn is_entry(names: &[String], place: usize) -> bool {
    match names[place].as_str() {
        "asm_common_interrupt" | "el1h_64_irq" | "el0t_64_irq" | "el1_irq" | "el0_irq" => true,
        "handle_exception" | "ret_from_exception" => place > 0 && names[place - 1] == "do_irq",
        name => name.starts_with("asm_sysvec_"),
    }
}

/// Texts by number, each once.
#[derive(Debug, Default)]
pub struct Texts {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Texts {
    /// Returns a text's number; `None`: there are too many.
    pub fn number(&mut self, text: String) -> Option<usize> {
        if let Some(number) = self.numbers.get(&text) {
            return Some(*number);
        }
        if self.texts.len() == MOST {
            return None;
        }
        self.texts.push(text.clone());
        self.numbers.insert(text, self.texts.len() - 1);
        Some(self.texts.len() - 1)
    }

    /// Returns the text of a number.
    pub fn text(&self, number: usize) -> Option<&str> {
        self.texts.get(number).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(names: &str) -> Option<String> {
        held_off(&names.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), true)
    }

    #[test]
    fn the_function_behind_the_interrupt_and_its_callers_are_named_without_a_locks_helper() {
        let own = "__hrtimer_run_queues hrtimer_interrupt sysvec_apic_timer_interrupt";
        let on = |rest: &str| said(&format!("{own} asm_sysvec_apic_timer_interrupt {rest}"));
        let free = "interrupts disabled: free_unref_page < __mmdrop < do_exit";
        assert_eq!(on("free_unref_page __mmdrop do_exit").unwrap(), free);
        assert_eq!(
            on("_raw_spin_unlock_irqrestore free_unref_page __mmdrop do_exit").unwrap(),
            free
        );
        assert_eq!(on("arch_local_irq_enable a").unwrap(), "interrupts disabled: a");
        assert_eq!(on("a").unwrap(), "interrupts disabled: a");
        assert_eq!(on("a b c d e").unwrap(), "interrupts disabled: a < b < c < d");
        assert_eq!(
            on("_raw_spin_unlock_irq").unwrap(),
            "interrupts disabled: _raw_spin_unlock_irq"
        );
        assert_eq!(on("").unwrap(), "stood still in user space");
    }

    #[test]
    fn a_stack_that_ends_with_the_interrupt_is_of_user_space_only_where_that_can_be() {
        let stack = |inner: usize| {
            let mut names = vec!["run_timer".to_owned(); inner];
            names.push("asm_sysvec_apic_timer_interrupt".into());
            names
        };
        assert_eq!(held_off(&stack(22), true).unwrap(), "stood still in user space");
        assert_eq!(held_off(&stack(23), true), None, "it may go on");
        assert_eq!(held_off(&stack(3), false), None, "a thread of the kernel");
    }

    #[test]
    fn an_exception_is_no_interrupt_and_each_machine_has_its_own_entry() {
        assert_eq!(said("run_timer ktimers kthread asm_exc_page_fault memcpy"), None);
        assert_eq!(said("a handle_exception b"), None);
        let b = Some("interrupts disabled: b".to_owned());
        assert_eq!(said("a do_irq handle_exception b"), b);
        assert_eq!(said("a el1_interrupt el1h_64_irq_handler el1h_64_irq b"), b);
        assert_eq!(said("a asm_common_interrupt b"), b);
    }

    #[test]
    fn a_text_is_kept_once_and_there_are_not_too_many() {
        let mut texts = Texts::default();
        assert_eq!((texts.number("a".into()), texts.number("b".into())), (Some(0), Some(1)));
        assert_eq!((texts.number("a".into()), texts.text(1)), (Some(0), Some("b")));
        for text in 2..MOST {
            texts.number(text.to_string());
        }
        assert_eq!((texts.number("more".into()), texts.number("b".into())), (None, Some(1)));
    }
}
