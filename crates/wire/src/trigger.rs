// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kinds of triggers, each written once besides the driver.

use crate::name::named;

/// The facts about a kind of trigger, as far as anything but the driver depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriggerFacts {
    /// It comes through an interrupt line that has a number.
    pub uses_irq: bool,
    /// It is made on another CPU where there is one.
    pub by_other_cpu: bool,
    /// Its origin, in a few words.
    pub text: &'static str,
}

/// Defines the kinds: `Variant "name": uses_irq, by_other_cpu, text;`.
macro_rules! triggers {
    ($($variant:ident $name:literal: $irq:literal, $other:literal, $text:literal;)+) => {
        named! {
            /// The source of the interrupt. The driver's list is `IRQSCOPE_TRIGGER_LIST`.
            Trigger, "trigger", { $(#[doc = $text] #[doc = ""] $variant = $name),+ }
        }

        impl Trigger {
            /// Returns its row of the table.
            pub const fn facts(self) -> TriggerFacts {
                match self {
                    $(Trigger::$variant => TriggerFacts {
                        uses_irq: $irq,
                        by_other_cpu: $other,
                        text: $text,
                    },)+
                }
            }
        }
    };
}

triggers! {
    Timer "timer": false, false, "a hard hrtimer";
    Inject "inject": true, true, "`irq_inject_interrupt()`";
    Line "line": true, false, "a generator, by a wire";
    Sleep "sleep": false, false, "a sleep of the user stage's thread";
}
