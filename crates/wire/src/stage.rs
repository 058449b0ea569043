// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stages and views.

use crate::name::named;

named! {
    /// A place where the kernel can respond to a trigger. The order is the
    /// driver's (`enum irqscope_stage`), and the index is its bit everywhere.
    Stage, "stage", {
        /// The hard interrupt handler.
        Irq = "irq",
        /// A function run straight from a softirq vector (IRQ_POLL).
        Softirq = "softirq",
        TaskletHi = "tasklet_hi",
        Tasklet = "tasklet",
        /// A work item on `system_bh_wq`; Linux 6.9 and later.
        WorkBh = "work_bh",
        WorkHi = "work_hi",
        Work = "work",
        WorkUnbound = "work_unbound",
        /// The threaded half of an interrupt handler.
        Thread = "thread",
        /// A kernel thread that the handler wakes.
        Kthread = "kthread",
        /// A user thread that blocks in `read()`.
        User = "user",
    }
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
        match self {
            Stage::WorkBh => Some((6, 9)),
            _ => None,
        }
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
