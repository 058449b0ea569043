// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stages, each written once besides the driver, and views.

use crate::Softirq;
use crate::name::named;

/// Where a stage is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the interrupt itself.
    Interrupt,
    /// In a softirq of this vector.
    Softirq(Softirq),
    /// In a thread.
    Thread,
}

/// The facts about a stage, as far as anything but the driver depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageFacts {
    /// The first kernel that has it, as major and minor; none if all have.
    pub since: Option<(u32, u32)>,
    /// Where it is executed.
    pub place: Place,
    /// Its colour, the same in every figure and on the page.
    pub colour: &'static str,
    /// Its description: exactly what is measured.
    pub text: &'static str,
}

/// Defines the stages: `Variant "name": since, place, colour, text;`.
macro_rules! stages {
    ($($variant:ident $name:literal: $since:expr, $place:expr, $colour:literal, $text:literal;)+) => {
        named! {
            /// A place where the kernel can respond to a trigger. The order is the
            /// driver's (`IRQSCOPE_STAGE_LIST`), and the index is its bit everywhere.
            Stage, "stage", { $(#[doc = $text] #[doc = ""] $variant = $name),+ }
        }

        impl Stage {
            /// Returns its row of the table.
            pub const fn facts(self) -> StageFacts {
                match self {
                    $(Stage::$variant => StageFacts {
                        since: $since,
                        place: $place,
                        colour: $colour,
                        text: $text,
                    },)+
                }
            }
        }
    };
}

// Colours: Okabe and Ito's colour-blind safe set, without the black and the yellow that
// vanish on one ground or the other, and Paul Tol's "muted" for the rest. Relatives share
// a hue: blue straight from the interrupt, green tasklets, orange workqueues, purple
// threads.
stages! {
    Irq "irq": None, Place::Interrupt, "#0072b2", "the hard interrupt handler";
    Softirq "softirq": None, Place::Softirq(Softirq::IrqPoll), "#56b4e9",
        "a function run straight from the IRQ_POLL softirq";
    TaskletHi "tasklet_hi": None, Place::Softirq(Softirq::Hi), "#009e73",
        "a high-priority tasklet";
    Tasklet "tasklet": None, Place::Softirq(Softirq::Tasklet), "#44aa99", "a tasklet";
    WorkBh "work_bh": Some((6, 9)), Place::Softirq(Softirq::Tasklet), "#a6611a",
        "a work item on the bottom-half workqueue (system_bh_wq)";
    WorkHi "work_hi": None, Place::Thread, "#d55e00",
        "a work item on the high-priority workqueue (system_highpri_wq)";
    Work "work": None, Place::Thread, "#e69f00",
        "a work item on the ordinary workqueue (system_wq)";
    WorkUnbound "work_unbound": None, Place::Thread, "#999933",
        "a work item on the unbound workqueue (system_unbound_wq)";
    Thread "thread": None, Place::Thread, "#aa4499",
        "the threaded half of the interrupt handler";
    Kthread "kthread": None, Place::Thread, "#cc79a7",
        "a kernel thread that the handler wakes";
    User "user": None, Place::Thread, "#882255", "a user thread that blocks in read()";
}

impl Stage {
    /// The number of stages.
    pub const COUNT: usize = Stage::ALL.len();

    /// Returns its place in the order of stages.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the first kernel that has it, as major and minor; none if all have.
    pub const fn since(self) -> Option<(u32, u32)> {
        self.facts().since
    }

    /// Returns the stage at a place in that order.
    pub fn from_index(index: usize) -> Option<Stage> {
        Stage::ALL.get(index).copied()
    }
}

named! {
    /// Whose clock a latency was read from.
    View, "view", {
        /// The generator's.
        Outside = "outside",
        /// The target's own cycle counter.
        Inside = "inside",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_indices_round_trip() {
        for (index, stage) in Stage::ALL.iter().enumerate() {
            assert_eq!(stage.index(), index);
            assert_eq!(Stage::from_index(index), Some(*stage));
            assert_eq!(stage.name().parse::<Stage>(), Ok(*stage));
        }
        assert!("soft_irq".parse::<Stage>().is_err());
    }
}
