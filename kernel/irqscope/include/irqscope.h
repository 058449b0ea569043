/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * irqscope.h - the contract between the driver irqscope.ko and its user.
 *
 * The driver measures, per trigger, when each stage of the kernel answers.
 * A stage is a place where the kernel can respond to an interrupt; a trigger
 * is one request; a sample is one trigger with the answer of every stage that
 * was asked, or the fact that one is missing.
 *
 * Two character devices:
 *
 *  /dev/irqscope       mmap() it read-only: struct irqscope_ring at offset 0,
 *                      then `slots` times struct irqscope_sample, beginning at
 *                      `samples_offset`. One opener at a time, a second gets
 *                      -EBUSY. poll() reports POLLIN when a quarter of the ring
 *                      waits to be read, or when the run has ended; it never
 *                      wakes the reader in the middle of a sample.
 *                      Closing it stops the run.
 *  /dev/irqscope-user  the user stage. read() blocks until a trigger asks for
 *                      the user stage and returns one struct irqscope_call.
 *                      The reader takes its cycle counter as its first act and
 *                      write()s one struct irqscope_answer. read() returns 0
 *                      when the run has ended, -EINTR on a signal. One opener
 *                      at a time. Without an opener the stage is missing.
 *
 * Reading the ring: sample n (counted from 0) lies in slot n % slots. It may be
 * read once its `state` is IRQSCOPE_SAMPLE_DONE (load-acquire); states change
 * in order of n only at the reader's side, so wait for slot n before n + 1.
 * ioctl(IRQSCOPE_RELEASE, &n) hands all slots below n back. A trigger that
 * finds its slot not free is counted in `overrun` and starts no stage.
 *
 * Useful invariant, which holds whenever `running` is 0:
 *
 *	triggers == complete + missing + coalesced + overrun
 *
 * where every sample is counted once: as coalesced if any of its stages was
 * still pending for an earlier trigger (that one run of the stage then answers
 * the earlier trigger, and the later one has IRQSCOPE_MERGED for this stage);
 * else as missing if any asked stage never answered; else as complete.
 * `triggers` samples minus `overrun` ones are in the ring; seq counts all
 * triggers from 0, so an overrun is a gap in seq.
 *
 * With settings/inside `off` nothing is recorded and no clock is read: stages
 * make their edges, and the view from outside is the only one. Then the ring has
 * no samples, its header counts `triggers`, those `coalesced` and `spurious`
 * alone, and the user stage hands in a counter of zero.
 *
 * Instants are readings of the CPU's cycle counter (x86: TSC, arm64: CNTVCT)
 * and become nanoseconds of CLOCK_MONOTONIC by
 *
 *	ns(c) = trigger_ns + (c - trigger_cycles) * tick_fs / 1000000
 *
 * with tick_fs as the kernel calibrated it. Dividing later keeps the handlers
 * short: the only thing they record is the counter.
 */
#ifndef IRQSCOPE_H
#define IRQSCOPE_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Raised whenever a layout or a meaning below changes. */
#define IRQSCOPE_ABI	1

#define IRQSCOPE_MAGIC	0x49525153u	/* "IRQS" */

enum irqscope_stage {
	IRQSCOPE_IRQ,		/* hard handler: hrtimer callback or irq handler */
	IRQSCOPE_SOFTIRQ,	/* irq_poll, run straight from IRQ_POLL_SOFTIRQ */
	IRQSCOPE_TASKLET_HI,
	IRQSCOPE_TASKLET,
	IRQSCOPE_WORK_BH,	/* 6.9 and later: system_bh_wq */
	IRQSCOPE_WORK_HI,	/* system_highpri_wq */
	IRQSCOPE_WORK,		/* system_wq */
	IRQSCOPE_WORK_UNBOUND,	/* system_unbound_wq */
	IRQSCOPE_THREAD,	/* threaded interrupt handler */
	IRQSCOPE_KTHREAD,	/* a kernel thread woken by the handler */
	IRQSCOPE_USER,		/* a user thread that blocks in read() */
	IRQSCOPE_STAGES,
};

#define IRQSCOPE_STAGE_SLOTS	16	/* room for stages to come */

/* response flags */
#define IRQSCOPE_ANSWERED	0x1u	/* cycles, cpu, interrupts are valid */
#define IRQSCOPE_MERGED		0x2u	/* still pending for an earlier trigger */
#define IRQSCOPE_MISSING	0x4u	/* asked, never answered */
#define IRQSCOPE_HIT		0x8u	/* another interrupt came in between */

struct irqscope_response {
	__u64 cycles;		/* counter at the stage's first act */
	__u16 cpu;
	__u16 interrupts;	/* other interrupts on this CPU since stage irq; saturates */
	__u32 flags;
};

#define IRQSCOPE_SAMPLE_FREE	0u
#define IRQSCOPE_SAMPLE_OPEN	1u
#define IRQSCOPE_SAMPLE_DONE	2u

struct irqscope_sample {
	__u32 state;
	__u32 asked;		/* mask of stages, bit n is stage n */
	__u64 seq;
	__u64 trigger_cycles;
	__u64 trigger_ns;	/* CLOCK_MONOTONIC */
	struct irqscope_response responses[IRQSCOPE_STAGE_SLOTS];
};

struct irqscope_ring {
	__u32 magic;
	__u32 abi;
	__u32 slots;		/* a power of two */
	__u32 sample_size;
	__u32 samples_offset;
	__u32 running;
	__u64 tick_fs;		/* femtoseconds per cycle */
	__u64 triggers;
	__u64 complete;
	__u64 missing;
	__u64 coalesced;
	__u64 overrun;
	__u64 skipped;		/* closed pacing: grid points without a trigger */
	__u64 spurious;		/* a stage ran with nothing pending */
	__u64 published;	/* samples that reached the state done */
};

struct irqscope_call {
	__u64 seq;
};

struct irqscope_answer {
	__u64 seq;		/* from struct irqscope_call */
	__u64 cycles;		/* counter read in user space right after read() */
};

/* All slots of samples below *arg are free again. */
#define IRQSCOPE_RELEASE	_IOW('I', 1, __u64)

#endif /* IRQSCOPE_H */
