/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a user sets for a run; the attributes are in settings.c. */
#ifndef IRQSCOPE_SETTINGS_H
#define IRQSCOPE_SETTINGS_H

#include <linux/types.h>

/* Neither the period nor what jitter makes of it goes below; nor do intervals. */
#define IRQSCOPE_PERIOD_MIN_NS	10000

enum irqscope_explain { IRQSCOPE_EXPLAIN_OFF, IRQSCOPE_EXPLAIN_ON };
enum irqscope_inside { IRQSCOPE_INSIDE_ON, IRQSCOPE_INSIDE_OFF };

/* Every trigger once; the operations are irqscope_NAME_trigger. */
#define IRQSCOPE_TRIGGER_LIST(trigger)	\
	trigger(TIMER, timer)		\
	trigger(INJECT, inject)		\
	trigger(LINE, line)		\
	trigger(SLEEP, sleep)

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

#endif /* IRQSCOPE_SETTINGS_H */
