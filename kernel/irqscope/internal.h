/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The driver's one private struct and what its files share.
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
#ifndef IRQSCOPE_INTERNAL_H
#define IRQSCOPE_INTERNAL_H

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

#ifndef CONFIG_64BIT
#error "irqscope needs a 64-bit kernel: its counters are shared as 64-bit words"
#endif

/* Neither the period nor what jitter makes of it goes below; nor do intervals. */
#define IRQSCOPE_PERIOD_MIN_NS	10000

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

enum irqscope_explain { IRQSCOPE_EXPLAIN_OFF, IRQSCOPE_EXPLAIN_ON };
enum irqscope_inside { IRQSCOPE_INSIDE_ON, IRQSCOPE_INSIDE_OFF };

/* Every trigger once; the operations are irqscope_NAME_trigger. */
#define IRQSCOPE_TRIGGER_LIST(trigger)	\
	trigger(TIMER, timer)		\
	trigger(INJECT, inject)		\
	trigger(LINE, line)

#define IRQSCOPE_TRIGGER_NUMBER(number, name)	IRQSCOPE_##number,

enum irqscope_trigger { IRQSCOPE_TRIGGER_LIST(IRQSCOPE_TRIGGER_NUMBER) IRQSCOPE_TRIGGERS };

enum irqscope_mode { IRQSCOPE_TOGETHER, IRQSCOPE_ISOLATED };
enum irqscope_pacing { IRQSCOPE_OPEN, IRQSCOPE_CLOSED };
enum irqscope_jitter { IRQSCOPE_NO_JITTER, IRQSCOPE_UNIFORM, IRQSCOPE_EXPONENTIAL };
enum irqscope_compensate { IRQSCOPE_COMPENSATE_NONE, IRQSCOPE_COMPENSATE_COUNTER };
enum irqscope_policy { IRQSCOPE_FIFO, IRQSCOPE_RR, IRQSCOPE_OTHER };

/**
 * struct irqscope_sched - scheduling of a thread stage
 * @policy: fifo, rr or other
 * @value: priority of fifo and rr, nice value of other
 */
struct irqscope_sched {
	enum irqscope_policy policy;
	int value;
};

/**
 * struct irqscope_settings - what the user chose; fixed while a run is active
 * @stages: mask of the asked stages
 * @line: record or a port, as in irqscope_line_names
 * @trigger: enum irqscope_trigger
 * @inside: enum irqscope_inside
 * @explain: enum irqscope_explain
 * @mode: enum irqscope_mode
 * @pacing: enum irqscope_pacing
 * @jitter: enum irqscope_jitter
 * @compensate: enum irqscope_compensate
 * @executing: stages have execution times
 * @irq: Linux interrupt number for the triggers inject and line
 * @period_ns: distance of the grid's points, or of bursts
 * @burst: triggers in a burst; 1: none are bursts
 * @interval_ns: distance of the triggers of a burst
 * @count: triggers in a run
 * @jitter_ns: amplitude (uniform) or mean (exponential) added to @period_ns
 * @turn_length: isolated mode: triggers in a row that ask the same stage
 * @seed: of the jitter's generator
 * @cpu: the CPU under test
 * @inject_cpu: the CPU that injects; -1 for any other one
 * @slots: of the ring
 * @events: slots of the log of events
 * @timeout_ms: how long a late response is waited for
 * @kthread: scheduling of stage kthread
 * @thread: scheduling of stage thread
 * @delay_stage: test builds: which stage is delayed
 * @delay_instructions: test builds: by how many instructions
 */
struct irqscope_settings {
	u32 stages;
	u32 line;
	u32 trigger;
	u32 inside;
	u32 explain;
	u32 mode;
	u32 pacing;
	u32 jitter;
	u32 compensate;
	bool executing;
	s64 irq;
	s64 period_ns;
	s64 burst;
	s64 interval_ns;
	s64 count;
	s64 jitter_ns;
	s64 turn_length;
	s64 seed;
	s64 cpu;
	s64 inject_cpu;
	s64 slots;
	s64 events;
	s64 timeout_ms;
	struct irqscope_sched kthread;
	struct irqscope_sched thread;
	s64 delay_stage;
	s64 delay_instructions;
};

/**
 * struct irqscope_trigger_ops - what makes one trigger different from another
 * @prepare: takes what it needs; process context
 * @start: arms it; process context, triggers may come before it returns
 * @stop: no trigger and no handler is running when it returns
 * @unprepare: undoes @prepare
 * @uses_irq: it comes through an interrupt line, so stage thread lives there
 */
struct irqscope_trigger_ops {
	int (*prepare)(struct irqscope *scope);
	void (*start)(struct irqscope *scope);
	void (*stop)(struct irqscope *scope);
	void (*unprepare)(struct irqscope *scope);
	bool uses_irq;
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

/* main.c */
extern struct irqscope irqscope;
struct irqscope *irqscope_opener_get(void);

/* run.c */
int irqscope_run_start(struct irqscope *scope);
void irqscope_run_stop(struct irqscope *scope, enum irqscope_verdict verdict, int detail);
void irqscope_run_end(struct irqscope *scope, enum irqscope_verdict verdict, int detail);
enum irqscope_verdict irqscope_run_verdict(const struct irqscope *scope, int *detail);
void irqscope_run_init(struct irqscope *scope);

/* random.c */
u64 irqscope_random_below(u64 *state, u64 end);
u64 irqscope_random_exponential(u64 *state, u64 mean);

/* pacing.c */
int irqscope_pacer_check(const struct irqscope *scope);
void irqscope_pacer_start(struct irqscope *scope);
void irqscope_pacer_stop(struct irqscope *scope);
bool irqscope_pacer_due(struct irqscope *scope);
enum hrtimer_restart irqscope_pacer_next(struct irqscope *scope);

/* clock.c */
u64 irqscope_clock_tick_fs(void);
void irqscope_clock_settle(struct irqscope *scope, struct irqscope_sample *sample);

/* sample.c */
u64 irqscope_sample_open(struct irqscope *scope);
void irqscope_sample_start(struct irqscope *scope, u64 token, u64 cycles);
void irqscope_sample_drop(struct irqscope *scope, u64 token, int references);
void irqscope_sample_merge(struct irqscope *scope, u64 token);
void irqscope_sample_miss(struct irqscope *scope, u64 token);
void irqscope_answer(struct irqscope_responder *stage, u64 cycles);
void irqscope_answer_token(struct irqscope_responder *stage, u64 token, u64 cycles,
			   u64 executed);
void irqscope_spurious(struct irqscope *scope);
void irqscope_close_stage(struct irqscope_responder *stage);
void irqscope_close_all(struct irqscope *scope);
u32 irqscope_sample_turn(struct irqscope *scope);
u64 irqscope_samples_open(const struct irqscope *scope);

/* execution.c */
DECLARE_STATIC_KEY_FALSE(irqscope_executing);
extern struct device_attribute irqscope_execution_attribute;
void irqscope_execution_calibrate(struct irqscope *scope);
void irqscope_execution_prepare(struct irqscope *scope);
u64 irqscope_execution_next(struct irqscope_responder *stage);
u64 irqscope_execution_pass(struct irqscope_responder *stage, u64 cycles);

/* counted.c */
DECLARE_STATIC_KEY_FALSE(irqscope_counting);
int irqscope_counted_prepare(struct irqscope *scope);
void irqscope_counted_raise(struct irqscope_responder *stage, u64 token);
bool irqscope_counted_settle(struct irqscope_responder *stage, u64 token);
void irqscope_counted_again(struct irqscope_responder *stage);
void irqscope_counted_chain(struct irqscope *scope, u64 token);

/* bare.c */
DECLARE_STATIC_KEY_FALSE(irqscope_bare);
int irqscope_bare_prepare(struct irqscope *scope);
u64 irqscope_bare_open(struct irqscope *scope);
void irqscope_bare_raise(struct irqscope *scope, u64 token);
void irqscope_bare_answer(struct irqscope_responder *stage);
u64 irqscope_bare_pending(const struct irqscope *scope);

/* ring.c */
int irqscope_ring_prepare(struct irqscope *scope);
void irqscope_ring_begin(struct irqscope *scope);
int irqscope_ring_release(struct irqscope *scope, u64 below);
int irqscope_ring_resize(struct irqscope *scope, u32 slots);
void irqscope_ring_free(struct irqscope *scope);
void irqscope_ring_init(struct irqscope *scope);
bool irqscope_ring_is_due(struct irqscope *scope);

/* device.c */
void irqscope_device_init(struct irqscope *scope);
void irqscope_device_exit(struct irqscope *scope);
int irqscope_device_register(void);
void irqscope_device_unregister(void);

/* stage.c */
int irqscope_stages_prepare(struct irqscope *scope);
void irqscope_stages_unprepare(struct irqscope *scope);
void irqscope_stages_init(struct irqscope *scope);
int irqscope_stage_by_name(const char *name, size_t length);
u32 irqscope_stages_available(void);
const char *irqscope_stage_name(unsigned int index);

/* softirq.c, work.c, irq.c, kthread.c, user.c */
#define IRQSCOPE_DECLARE_STAGE(number, name) \
	extern const struct irqscope_stage_ops irqscope_##name##_stage;
IRQSCOPE_STAGE_LIST(IRQSCOPE_DECLARE_STAGE)
#undef IRQSCOPE_DECLARE_STAGE

/* irq.c */
int irqscope_irq_request(struct irqscope *scope, irq_handler_t handler);
void irqscope_irq_free(struct irqscope *scope);
int irqscope_irq_probe(struct irqscope *scope);

/* user.c */
void irqscope_user_init(struct irqscope *scope);
void irqscope_user_run_ended(struct irqscope *scope);
int irqscope_user_register(void);
void irqscope_user_unregister(void);

/* user_edge.c */
int irqscope_user_edge_init(struct irqscope *scope);
void irqscope_user_edge_free(struct irqscope *scope);
int irqscope_user_edge_mmap(struct irqscope *scope, struct vm_area_struct *vma);
void irqscope_user_edge_offer(struct irqscope *scope);
void irqscope_user_edge_made(struct irqscope *scope);
void irqscope_user_edge_withdraw(struct irqscope *scope);

/* sched.c */
int irqscope_sched_apply(struct task_struct *task, const struct irqscope_sched *sched);

/* memory.c */
bool irqscope_memory_watched(void);
bool irqscope_memory_is(const struct irqscope_port *port);
u32 irqscope_memory_word(const u64 *word);
int irqscope_memory_map(struct vm_area_struct *vma);
int irqscope_memory_register(void);
void irqscope_memory_unregister(void);

/* trigger.c, timer.c, inject.c */
extern const char *const irqscope_trigger_names[];
#define IRQSCOPE_DECLARE_TRIGGER(number, name) \
	extern const struct irqscope_trigger_ops irqscope_##name##_trigger;
IRQSCOPE_TRIGGER_LIST(IRQSCOPE_DECLARE_TRIGGER)
#undef IRQSCOPE_DECLARE_TRIGGER
const struct irqscope_trigger_ops *irqscope_trigger_ops(u32 trigger);
bool irqscope_inject_is_asked(const struct irqscope *scope);
int irqscope_inject_now(struct irqscope *scope, struct irqscope_injection *injection);
void irqscope_inject_init(struct irqscope *scope);

/* line.c */
extern const char *const irqscope_line_names[];
int irqscope_line_claim(struct irqscope *scope);
void irqscope_line_arm(struct irqscope *scope);
void irqscope_line_disarm(struct irqscope *scope);
void irqscope_line_release(struct irqscope *scope);
bool irqscope_line_available(u32 line);
bool irqscope_line_injects(u32 line);

/* cost.c */
int irqscope_cost_measure(struct irqscope *scope);

/* settings.c, stages_setting.c, status.c */
extern const struct attribute_group *irqscope_groups[];
extern const struct attribute_group irqscope_settings_group;
extern struct device_attribute irqscope_stages_attribute;
extern struct device_attribute irqscope_available_stages_attribute;
int irqscope_settings_lock(const char *name);
int irqscope_choice_find(const char *const *names, const char *text);
void irqscope_settings_init(struct irqscope *scope);

#endif /* IRQSCOPE_INTERNAL_H */
