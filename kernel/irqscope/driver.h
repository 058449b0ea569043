/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's one private struct and its parts.
 *
 * How a sample goes through the driver:
 *
 *	trigger ─> irqscope_sample_open()	claims slot n, token n + 1
 *	        ─> irqscope_sample_start()	answers stage irq, raises the others
 *	stage   ─> irqscope_enter()		stamp, then edge
 *	        ─> irqscope_execute()		with execution times: work, falling edge
 *	        ─> irqscope_answer()		takes the token, fills the response
 *	last    ─> irqscope_sample_drop()	publishes slot n
 *
 * Useful invariants:
 *  - A stage is raised only when its `pending` went from 0 to a token, and it
 *    takes the token only when its mechanism can be raised again. So no raise
 *    is lost, and the oldest raise is the one that is answered.
 *  - Tokens are never used twice in a run. Code that wants to take a certain
 *    one (the closer, the user's answer) can therefore use cmpxchg without fear
 *    of having slept through a whole turn of the ring.
 *  - The holder of a token, and the trigger, hold one reference of the sample
 *    each; the last to drop it publishes. A run ends only when all are dropped.
 */
#ifndef IRQSCOPE_DRIVER_H
#define IRQSCOPE_DRIVER_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq_poll.h>
#include <linux/irq_work.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/swait.h>
#include <linux/timex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "irqscope.h"
#include "interference.h"
#include "port.h"
#include "settings.h"

#ifndef CONFIG_64BIT
#error "irqscope needs a 64-bit kernel: its counters are shared as 64-bit words"
#endif

struct attribute_group;
struct device_attribute;
struct irqscope;
struct irqscope_responder;

/**
 * struct irqscope_stage_ops - what makes one stage different from another
 * @prepare: makes the stage ready to be raised; process context. NULL where this
 *	kernel does not have the stage
 * @raise: asks for the stage; hard interrupt, the token is already pending
 * @again: asks for it from where it answered; NULL: as @raise
 * @unprepare: undoes @prepare; on return the stage does not run any more
 */
struct irqscope_stage_ops {
	int (*prepare)(struct irqscope_responder *stage);
	void (*raise)(struct irqscope_responder *stage);
	void (*again)(struct irqscope_responder *stage);
	void (*unprepare)(struct irqscope_responder *stage);
};

enum irqscope_distribution { IRQSCOPE_FIXED, IRQSCOPE_BETWEEN, IRQSCOPE_MEAN };

/**
 * struct irqscope_execution - what a stage executes after its first act
 * @distribution: enum irqscope_distribution
 * @first_ns: the time, the lowest one, or the mean
 * @second_ns: the highest one
 * @random: state of the generator
 * @rounds: of the next execution
 */
struct irqscope_execution {
	u32 distribution;
	u64 first_ns;
	u64 second_ns;
	u64 random;
	u64 rounds;
};

/**
 * struct irqscope_responder - one stage of one scope
 * @pending: token of the sample that waits for this stage; 0 if none
 * @scope: the scope it belongs to
 * @line_bit: bit of the port that it toggles; 0 if none
 * @word: its response word; NULL if none
 * @delay_instructions: test builds: executed before the stamp
 * @index: enum irqscope_stage
 * @owed: compensate counter: triggers that it has not answered
 * @execution: what it executes
 * @ops: what it is made of
 * @queue: workqueue stages: where @work goes
 * @task: thread stages: the thread that answers
 * @poll: softirq
 * @tasklet: tasklet and tasklet_hi
 * @work: work stages
 */
struct irqscope_responder {
	atomic64_t pending;
	struct irqscope *scope;
	u32 line_bit;
	u64 *word;
	u32 delay_instructions;
	u32 index;
	atomic_t owed;
	struct irqscope_execution execution;
	const struct irqscope_stage_ops *ops;
	struct workqueue_struct *queue;
	struct task_struct *task;
	union {
		struct irq_poll poll;
		struct tasklet_struct tasklet;
		struct work_struct work;
	};
} ____cacheline_aligned;

/**
 * struct irqscope_flight - what the driver must know of a sample in flight
 * @references: the trigger's one, and one per raised stage that did not answer
 * @cpu: where stage irq ran
 * @merged: some stage was still pending for an earlier trigger
 * @missing: some stage was closed without an answer
 * @settled: irqscope_clock_settle() was called
 * @interrupts: irqscope_interrupts() after the stamp of stage irq
 * @next: counted triggers: the token that was raised after this one
 */
struct irqscope_flight {
	atomic_t references;
	u32 cpu;
	bool merged;
	bool missing;
	bool settled;
	u64 interrupts;
	u64 next;
};

/**
 * struct irqscope_buffer - the ring and its private half
 * @header: what user space sees first; counters live here and nowhere else
 * @samples: the slots
 * @flights: private half of each slot
 * @slots: how many; a power of two
 * @produced: samples opened in this run; written by the trigger only
 * @released: samples handed back by the reader
 * @reader: serialises the reader's side with the ring's own beginning and end
 * @mappings: how many mappings exist; the slots stay while there is one
 */
struct irqscope_buffer {
	struct irqscope_ring *header;
	struct irqscope_sample *samples;
	struct irqscope_flight *flights;
	u32 slots;
	u64 produced;
	u64 released;
	struct mutex reader; /* released, and the memory itself */
	atomic_t mappings;
};

/**
 * struct irqscope_line - where edges go
 * @port: the claimed port; NULL for line record
 * @io_base: as in @port
 * @registers: as in @port
 * @control: what a PC's control register keeps while lines 8 to 11 change
 * @wires: what is on the wires; in the page that the user stage shares
 */
struct irqscope_line {
	struct irqscope_port *port;
	unsigned long io_base;
	const struct irqscope_register *registers;
	u32 control;
	atomic_t *wires;
};

/**
 * struct irqscope_trigger_ops - what makes one trigger different from another
 * @prepare: takes what it needs; process context
 * @start: arms it; process context, triggers may come before it returns
 * @stop: no trigger and no handler is running when it returns
 * @unprepare: undoes @prepare
 * @uses_irq: it comes through an interrupt line, so stage thread lives there
 * @expires: its instant is when a timer was to expire, known in nanoseconds
 */
struct irqscope_trigger_ops {
	int (*prepare)(struct irqscope *scope);
	void (*start)(struct irqscope *scope);
	void (*stop)(struct irqscope *scope);
	void (*unprepare)(struct irqscope *scope);
	bool uses_irq;
	bool expires;
};

/**
 * struct irqscope_pacer - the time grid of a run
 * @timer: fires at each grid point, on the CPU that triggers
 * @random: state of the jitter's generator
 * @cpu: where @timer is pinned
 * @opened_ns: when the sample that is open was triggered (closed pacing)
 * @ending: the last trigger was made; the next point ends the run
 * @stride: points to the next visit; above 1 only while closed pacing waits
 * @in_burst: triggers of this burst that were made
 */
struct irqscope_pacer {
	struct hrtimer timer;
	u64 random;
	int cpu;
	u64 opened_ns;
	bool ending;
	u64 stride;
	s64 in_burst;
};

/**
 * struct irqscope_interrupt - the interrupt line of a run, real or virtual
 * @number: Linux interrupt number; 0 if none is requested
 * @armed: triggers count; before that the handler only says where it ran
 * @seen_cpu: where the last interrupt before @armed was handled; -1 none
 * @affinity: as it was before the run
 * @open: a generator's injections are taken
 * @injecting: held while one is made; guards @open
 */
struct irqscope_interrupt {
	unsigned int number;
	bool armed;
	int seen_cpu;
	struct cpumask affinity;
	bool open;
	raw_spinlock_t injecting;
};

/* Probes that are registered together. */
enum irqscope_probe_set { IRQSCOPE_PROBES_EXPLAIN, IRQSCOPE_PROBES_SLEEP, IRQSCOPE_PROBE_SETS };

/**
 * struct irqscope_probing - the probes on the kernel's tracepoints
 * @lock: serialises their coming and going
 * @users: per set the runs that need it; at most one, but for those that fail to start
 * @leaving: how many of them have ended since @leave ran
 * @leave: takes the probes away
 */
struct irqscope_probing {
	struct mutex lock; /* users, and what interference.h says */
	unsigned int users[IRQSCOPE_PROBE_SETS];
	atomic_t leaving[IRQSCOPE_PROBE_SETS];
	struct work_struct leave;
};

/**
 * struct irqscope_sleep - the sleeps that are triggers, see sleep.c
 * @armed: triggers may come
 * @task: the thread that was handed a sleep; only compared
 * @point_ns: the point of the grid until which it is to sleep, CLOCK_MONOTONIC
 * @timer: what will wake it; NULL: it does not sleep yet; only compared
 */
struct irqscope_sleep {
	bool armed;
	struct task_struct *task;
	u64 point_ns;
	struct hrtimer *timer;
};

/**
 * struct irqscope_user - the user stage's device
 * @queue: where its reader sleeps
 * @opened: bit 0: it has an opener
 * @present: a trigger may ask for the stage
 * @seq: of the sample that is pending
 * @ready: its token, written after @seq
 * @handed_token: what the last read() returned
 * @handed_seq: its sequence number
 * @handed_cycles: when
 * @begun: with execution times: it has answered, and executes
 * @begun_cycles: since when
 * @edge: the page by which its thread makes its edges
 * @way: what this run offered there
 * @runs_seen: runs whose end was reported to the reader
 */
struct irqscope_user {
	struct swait_queue_head queue;
	unsigned long opened;
	bool present;
	u64 seq;
	u64 ready;
	u64 handed_token;
	u64 handed_seq;
	u64 handed_cycles;
	bool begun;
	u64 begun_cycles;
	struct irqscope_user_edge *edge;
	u32 way;
	u32 runs_seen;
};

enum irqscope_verdict {
	IRQSCOPE_RUNNING,	/* none yet */
	IRQSCOPE_FINISHED,	/* all triggers were sent */
	IRQSCOPE_STOPPED,	/* on request */
	IRQSCOPE_CPU_OFFLINE,	/* detail: which */
	IRQSCOPE_INJECT_FAILED,	/* detail: errno */
	IRQSCOPE_GENERATOR_GONE,
	IRQSCOPE_SLEEPER_GONE,
};

enum irqscope_state {
	IRQSCOPE_STATE_IDLE,
	IRQSCOPE_STATE_RUNNING,
	IRQSCOPE_STATE_DRAINING,
	IRQSCOPE_STATE_DONE,
	IRQSCOPE_STATE_STOPPED,
	IRQSCOPE_STATE_FAILED,
};

/**
 * struct irqscope - the oscilloscope; the module has one
 * @stages: the stages, by enum irqscope_stage
 * @buffer: ring and its private half
 * @line: where edges go
 * @interference: what else the CPU under test did
 * @probing: the probes on tracepoints
 * @settings: what the user chose
 * @trigger: what makes triggers in this run
 * @cpu: the CPU under test in this run
 * @own_interrupts: how many on @cpu were our own triggers
 * @raised: inside off: how many stages were raised; written by the trigger only
 * @answered: inside off: how many of these answered or were given up
 * @turn: isolated mode: whose turn it is
 * @turn_left: triggers that are left of this turn
 * @chained: counted triggers: the token that was raised last; 0: none
 * @tick_fs: femtoseconds per cycle
 * @round_fs: femtoseconds per round of an execution
 * @pacer: time grid
 * @interrupt: interrupt line
 * @user: user stage
 * @sleep: trigger sleep
 * @control: serialises settings and the run's beginning and end
 * @state: what sysfs shows
 * @verdict: enum irqscope_verdict with its detail, first come: irqscope_run_verdict()
 * @active: between start and the end of teardown; under @control
 * @runs_ended: how many runs have ended
 * @supervisor: workqueue of @supervise
 * @supervise: drains and ends a run
 * @opened: bit 0: /dev/irqscope has an opener
 * @wait: where poll() sleeps
 * @wake_wanted: a poll() sleeps
 * @wake: wakes it, from where that is allowed
 * @cost_cycles: what the stamping of each stage costs
 */
struct irqscope {
	struct irqscope_responder stages[IRQSCOPE_STAGES];
	struct irqscope_buffer buffer;
	struct irqscope_line line;
	struct irqscope_interference interference;
	struct irqscope_probing probing;
	struct irqscope_settings settings;
	const struct irqscope_trigger_ops *trigger;
	int cpu;
	u64 own_interrupts;
	u64 raised;
	atomic64_t answered;
	u32 turn;
	u32 turn_left;
	u64 chained;
	u64 tick_fs;
	u64 round_fs;
	struct irqscope_pacer pacer;
	struct irqscope_interrupt interrupt;
	struct irqscope_user user;
	struct irqscope_sleep sleep;

	struct mutex control; /* settings, state, active */
	enum irqscope_state state;
	atomic_t verdict;
	bool active;
	u32 runs_ended;
	struct workqueue_struct *supervisor;
	struct delayed_work supervise;

	unsigned long opened;
	wait_queue_head_t wait;
	bool wake_wanted;
	struct irq_work wake;

	u32 cost_cycles[IRQSCOPE_STAGES];
};

#endif /* IRQSCOPE_DRIVER_H */
