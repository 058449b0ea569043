/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * irqscope.h - the contract between the driver irqscope.ko and its user.
 *
 * The driver measures, per trigger, when each stage of the kernel answers.
 * A stage is a place where the kernel can respond to an interrupt; a trigger
 * is one request; a sample is one trigger with the answer of every stage that
 * was asked, or the fact that one is missing.
 *
 * Four character devices:
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
 *                      at a time. Without an opener the stage is missing. A
 *                      write() without a call that still waits for it is refused
 *                      (-ESTALE) and makes no edge; one whose answer is wrong has
 *                      made its edge and leaves the sample without an answer.
 *                      With execution times it write()s that answer, executes
 *                      `rounds` rounds of two instructions (decrement, branch),
 *                      and write()s a second one with the counter after that.
 *                      mmap() it shared to make its edges itself, see below.
 *                      With settings/trigger `sleep` read() does not block: the
 *                      reader then sleeps until `until_ns`, an absolute instant,
 *                      takes its counter, and write()s its answer. Without an
 *                      opener such a run does not begin, or fails.
 *
 *  /dev/irqscope-events  with settings/explain `on`: what else the CPU under
 *                      test did. read() copies whole struct irqscope_event, in
 *                      order, and returns 0 when there is none at present. One
 *                      opener at a time.
 *
 *  /dev/irqscope-memory  for a generator on a spare CPU, with settings/line
 *                      `memory` and settings/trigger `inject`. mmap() it
 *                      read-only: struct irqscope_memory. ioctl(IRQSCOPE_INJECT_NOW)
 *                      makes one trigger, from the CPU that calls. One opener at
 *                      a time; a run needs it, and fails when it is closed.
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
 * With settings/execution a stage executes for a while after its first act; its
 * line is high meanwhile, instead of changing once, and `executed` is how long
 * that took from its stamp on, all interruptions included. With
 * settings/compensate `counter` no stage is ever merged: a stage that is still
 * pending owes one run more.
 *
 * With settings/inside `off` nothing is recorded and no clock is read: stages
 * make their edges, and the view from outside is the only one. Then the ring has
 * no samples, its header counts `triggers`, those `coalesced` and `spurious`
 * alone, and the user stage hands in a counter of zero.
 *
 * Events are kept while a sample is open, and of the time before its trigger
 * reached the handler the last IRQSCOPE_HISTORY: what had the interrupts disabled
 * began before the handler knew of any trigger. `order` numbers all events, so
 * that a jump shows how many were not kept; what the log had no room for is
 * counted in events_lost, in sysfs.
 *
 * With a generator on a spare CPU every trigger is numbered where it is made, and
 * both views have the same instant: the counter there, right before the interrupt
 * is injected. IRQSCOPE_INJECT_NOW returns when that is done. It refuses (-EAGAIN)
 * while `armed` is 0 and when settings/count are made.
 *
 * A response is one store into the stage's word, of two halves:
 *
 *	low	how many responses this stage has shown in this run, modulo 2^32
 *	high	the `number` of the trigger that it answers, modulo 2^32; 0 where it
 *		does not know: stage irq stores before it looks whose turn it is, and
 *		runs exactly once per trigger that was neither merged nor dropped,
 *		in their order
 *
 * A trigger with a lower number that the stage has not answered by then was merged
 * with an earlier one: it will not be.
 *
 * The user stage may make its edges itself where `way` of struct irqscope_user_edge is
 * not IRQSCOPE_EDGE_WRITE; it looks there between read() and its edge, each time, and
 * says so with `edge` in its answer:
 *
 *	IRQSCOPE_EDGE_DATA	add `step` to `wires`, atomically, and write their
 *				lowest 8 bits to I/O port `port`; repeat that until the
 *				wires are what was written, since the other stages do
 *				the same; then negate `step`
 *	IRQSCOPE_EDGE_CONTROL	the same, with the bits from 8 on and `keep`
 *	IRQSCOPE_EDGE_WORD	store into the word at `word` bytes of the page at
 *				IRQSCOPE_USER_WORDS_PAGE, as described above, with `number`
 *				of struct irqscope_call
 *
 * With execution times the wire is toggled again with the second answer; the word is
 * not.
 *
 * Instants are readings of the CPU's cycle counter (x86: TSC, arm64: CNTVCT, riscv: time)
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
#define IRQSCOPE_ABI	5

#define IRQSCOPE_MAGIC	0x49525153u	/* "IRQS" */

/*
 * Every stage once, in the order that is its number and its bit everywhere:
 *
 *	irq		hard handler: hrtimer callback or irq handler
 *	softirq		irq_poll, run straight from IRQ_POLL_SOFTIRQ
 *	tasklet_hi, tasklet
 *	work_bh		6.9 and later: system_bh_wq
 *	work_hi		system_highpri_wq
 *	work		system_wq
 *	work_unbound	system_unbound_wq
 *	thread		threaded interrupt handler
 *	kthread		a kernel thread woken by the handler
 *	user		a user thread that blocks in read()
 *
 * The driver's tables follow from it; the operations are irqscope_NAME_stage.
 */
#define IRQSCOPE_STAGE_LIST(stage)	\
	stage(IRQ, irq)			\
	stage(SOFTIRQ, softirq)		\
	stage(TASKLET_HI, tasklet_hi)	\
	stage(TASKLET, tasklet)		\
	stage(WORK_BH, work_bh)		\
	stage(WORK_HI, work_hi)		\
	stage(WORK, work)		\
	stage(WORK_UNBOUND, work_unbound)	\
	stage(THREAD, thread)		\
	stage(KTHREAD, kthread)		\
	stage(USER, user)

#define IRQSCOPE_STAGE_NUMBER(number, name)	IRQSCOPE_##number,

enum irqscope_stage {
	IRQSCOPE_STAGE_LIST(IRQSCOPE_STAGE_NUMBER)
	IRQSCOPE_STAGES,
};

#define IRQSCOPE_STAGE_SLOTS	16	/* room for stages to come */

/* response flags */
#define IRQSCOPE_ANSWERED	0x1u	/* cycles, cpu, interrupts are valid */
#define IRQSCOPE_MERGED		0x2u	/* still pending for an earlier trigger */
#define IRQSCOPE_MISSING	0x4u	/* asked, never answered */

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
	__u64 executed[IRQSCOPE_STAGE_SLOTS];	/* cycles; 0 with settings/execution off */
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
	__u64 rounds;		/* to execute; 0 with settings/execution off */
	__u64 number;		/* as in a response word */
	__u64 until_ns;		/* CLOCK_MONOTONIC; 0 but with settings/trigger `sleep` */
};

struct irqscope_answer {
	__u64 seq;		/* from struct irqscope_call */
	__u64 cycles;		/* counter read in user space right after read(), or after
				 * execution
				 */
	__u64 edge;		/* 1: the thread has made it; 0: the driver shall */
};

/* Pages that mmap() of /dev/irqscope-user takes: offsets, in pages. */
#define IRQSCOPE_USER_EDGE_PAGE		0	/* struct irqscope_user_edge */
#define IRQSCOPE_USER_WORDS_PAGE	1	/* struct irqscope_memory */

/* How the user stage's edge is made. */
#define IRQSCOPE_EDGE_WRITE	0	/* by write(), in the driver */
#define IRQSCOPE_EDGE_DATA	1	/* lines 0 to 7 of a PC's port */
#define IRQSCOPE_EDGE_CONTROL	2	/* and its others */
#define IRQSCOPE_EDGE_WORD	3

struct irqscope_user_edge {
	__u32 wires;		/* what is on the lines of a port: bit n is line n */
	__u32 way;		/* IRQSCOPE_EDGE_...; changes while a run begins or ends */
	__u32 step;		/* what the next edge adds to the wires */
	__u32 port;
	__u32 keep;
	__u32 word;		/* bytes from the beginning of its page */
};

/* How many events from before a trigger's handler are kept. */
#define IRQSCOPE_HISTORY	64

enum irqscope_event_kind {
	IRQSCOPE_TRIGGERED,		/* value: seq; address: what was interrupted */
	IRQSCOPE_STACKED,		/* address: text address on its stack, nearest first.
					 * After an interrupt's entry, with the same stamp: of
					 * what it interrupted; IRQ_ENTRY's first one is that
					 */
	IRQSCOPE_IRQ_ENTRY,		/* value: number; address: its handler */
	IRQSCOPE_IRQ_EXIT,		/* value: number */
	IRQSCOPE_VECTOR_ENTRY,		/* value: enum irqscope_vector; address: what
					 * was interrupted
					 */
	IRQSCOPE_VECTOR_EXIT,
	IRQSCOPE_NMI,			/* value: ns that it took; address: its handler */
	IRQSCOPE_SOFTIRQ_ENTRY,		/* value: vector */
	IRQSCOPE_SOFTIRQ_EXIT,
	IRQSCOPE_SOFTIRQ_RAISE,
	IRQSCOPE_TASKLET_ENTRY,		/* address: function */
	IRQSCOPE_TASKLET_EXIT,
	IRQSCOPE_HRTIMER_ENTRY,		/* address: function */
	IRQSCOPE_HRTIMER_EXIT,
	IRQSCOPE_TIMER_ENTRY,		/* address: function */
	IRQSCOPE_TIMER_EXIT,
	IRQSCOPE_WORK_START,		/* address: function */
	IRQSCOPE_WORK_END,
	IRQSCOPE_SWITCH,		/* value: next pid; address: its priority, and
					 * IRQSCOPE_PREEMPTED if the other one was
					 */
	IRQSCOPE_WAKEUP,		/* value: woken pid; address: its priority */
	IRQSCOPE_STATISTICS,		/* value: pid whose run time was updated */
	IRQSCOPE_CONTENTION_BEGIN,	/* address: lock */
	IRQSCOPE_CONTENTION_END,	/* address: lock */
	IRQSCOPE_IDLE_ENTRY,		/* value: idle state */
	IRQSCOPE_IDLE_EXIT,
	IRQSCOPE_IRQS_OFF,		/* address: the caller */
	IRQSCOPE_IRQS_ON,
	IRQSCOPE_PREEMPT_OFF,
	IRQSCOPE_PREEMPT_ON,
	IRQSCOPE_NAME,			/* value: pid; address: 8 letters of its name */
	IRQSCOPE_NAME_REST,		/* the other 8 */
	IRQSCOPE_SMI,			/* value: system management interrupts since the
					 * event before; looked for after 10 us without one
					 */
	IRQSCOPE_SCHEDULE,		/* the scheduler was called */
	IRQSCOPE_CALLBACK_ENTRY,	/* value: enum irqscope_called; address: function */
	IRQSCOPE_CALLBACK_EXIT,		/* value: likewise */
	IRQSCOPE_PAGE_FAULT,		/* of a real-time thread */
	IRQSCOPE_PAGE_FAULT_END,
	IRQSCOPE_CALL_OTHERS,		/* other CPUs are to call a function; address: it */
	IRQSCOPE_CALL_OTHERS_END,	/* they have, if that is waited for */
	IRQSCOPE_CPU,			/* value: the CPU of the events that follow, up to the
					 * next one or the end of this read(); without it they
					 * are of the CPU under test
					 */
	IRQSCOPE_EVENT_KINDS,
};

enum irqscope_vector {
	IRQSCOPE_LOCAL_TIMER,
	IRQSCOPE_RESCHEDULE,
	IRQSCOPE_CALL_FUNCTION,
	IRQSCOPE_CALL_FUNCTION_SINGLE,
	IRQSCOPE_IRQ_WORK,
	IRQSCOPE_PLATFORM_IPI,
	IRQSCOPE_ERROR_APIC,
	IRQSCOPE_THERMAL,
	IRQSCOPE_THRESHOLD,
};

/* Callers of functions that no tracepoint of the kernel is about. */
enum irqscope_called {
	IRQSCOPE_CALLED_RCU,		/* any kind of RCU */
	IRQSCOPE_CALLED_IRQ_WORK,
	IRQSCOPE_CALLED_STOP,		/* stop_machine() */
};

/* event context; of IRQSCOPE_TRIGGERED: that of what was interrupted */
#define IRQSCOPE_IN_IRQ		0x01u
#define IRQSCOPE_IN_SOFTIRQ	0x02u
#define IRQSCOPE_IN_NMI		0x04u
#define IRQSCOPE_IRQS_DISABLED	0x08u
#define IRQSCOPE_NO_PREEMPTION	0x10u
#define IRQSCOPE_BH_DISABLED	0x20u
#define IRQSCOPE_IN_IDLE	0x40u
#define IRQSCOPE_IN_USER	0x80u

/* in `address` of IRQSCOPE_SWITCH */
#define IRQSCOPE_PREEMPTED	0x100u

struct irqscope_event {
	__u64 cycles;
	__u64 address;
	__u32 value;
	__u32 pid;		/* of the current thread */
	__u32 order;		/* of all events, kept or not; wraps */
	__u8 kind;
	__u8 priority;		/* the kernel's own, plus 1: 0 is a deadline, 1 to 100
				 * real-time (highest first), 101 to 140 nice
				 */
	__u16 context;
};

/* Of the memory that a spare CPU watches: a page has room for more. */
#define IRQSCOPE_WORDS		16

/* One response line, in a cache line of its own. */
struct irqscope_word {
	__u64 shown;
	__u64 unused[7];
};

struct irqscope_memory {
	__u32 armed;		/* 1: triggers are wanted, and all words are 0 */
	__u32 unused[15];
	struct irqscope_word words[IRQSCOPE_WORDS]; /* asked stages, in their order */
};

/* injection flags: no interrupt was injected, and there will be no response */
#define IRQSCOPE_INJECTION_MERGED	0x1u	/* the one before was not taken yet */
#define IRQSCOPE_INJECTION_DROPPED	0x2u	/* counted in `overrun` */

struct irqscope_injection {
	__u64 cycles;		/* counter right before it */
	__u32 number;		/* as in the words; 0 if it was dropped */
	__u32 flags;
};

/* All slots of samples below *arg are free again. */
#define IRQSCOPE_RELEASE	_IOW('I', 1, __u64)

/* /dev/irqscope-memory: make a trigger. */
#define IRQSCOPE_INJECT_NOW	_IOR('I', 2, struct irqscope_injection)

#endif /* IRQSCOPE_H */
