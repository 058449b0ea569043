/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The logs of what else the CPUs did, and what their files share.
 */
#ifndef IRQSCOPE_INTERFERENCE_H
#define IRQSCOPE_INTERFERENCE_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "irqscope.h"

struct irqscope;

/**
 * struct irqscope_event_log - what one CPU did
 *
 * Written on that CPU only, by whatever runs there; contexts nest, hence
 * interrupts are off while an event is written, and an NMI that comes in between
 * is counted as lost.
 *
 * Useful invariants:
 *  - Slots from @released to @published are the reader's; those from there on
 *    are the writer's.
 *  - While the window is closed the last IRQSCOPE_HISTORY events lie in a circle
 *    that begins at @published. To open it makes them its beginning without
 *    copying one; their stamps give their order.
 *
 * @slots: the log
 * @size: how many; a power of two
 * @order: of the next event
 * @head: where the next event goes while the window is open
 * @idle: events since the window was closed
 * @published: where the window that was closed last ends
 * @released: slots below were read
 * @lost: events without room, or that came while another was written
 * @window: of another CPU than the one under test: the last one that it has seen
 * @open: the window is open
 * @busy: an event is being written
 * @current_task: the task that ran when the last event was written; only
 *	compared
 * @last: counter at the last event
 * @smi_after: cycles without an event after which firmware may have run
 * @smis: system management interrupts that were counted
 * @named: threads with their names, mixed, that were written lately
 */
struct irqscope_event_log {
	struct irqscope_event *slots;
	u32 size;
	u32 order;
	u64 head;
	u64 idle;
	u64 published;
	u64 released;
	u64 lost;
	u32 window;
	bool open;
	bool busy;
	struct task_struct *current_task;
	u64 last;
	u64 smi_after;
	u32 smis;
	u64 named[64];
};

/**
 * struct irqscope_interference - what else the CPUs did
 *
 * @cpu: the CPU under test, or IRQSCOPE_NO_CPU: then no event is written
 * @log: what that CPU did; its window is open while a sample is
 * @window: counts that window's openings and closings: odd while it is open
 * @closing: the last open sample was published; any CPU sets it
 * @cost_cycles: what writing an event takes, without the way to it
 * @lacking: which of the table's tracepoints this kernel does not have; guarded by
 *	the lock of the probes, as is @hooks_lacking
 * @hooks_lacking: likewise, of the functions that callbacks.c needs
 * @opened: bit 0: /dev/irqscope-events has an opener
 * @opener_probes: its sets of probes, a mask of enum irqscope_probe_set
 * @reader: serialises the reader with the logs' own beginning and end
 */
struct irqscope_interference {
	int cpu;
	struct irqscope_event_log log;
	u32 window;
	bool closing;
	u32 cost_cycles;
	u64 lacking;
	u32 hooks_lacking;
	unsigned long opened;
	unsigned long opener_probes;
	struct mutex reader; /* released, and the memory itself */
};

#define IRQSCOPE_NO_CPU	(-1)

/* interference.c */
u32 irqscope_event_cost(struct irqscope *scope);
void irqscope_event(struct irqscope *scope, u8 kind, u32 value, u64 address);
void irqscope_event_at(struct irqscope_event_log *log, struct irqscope_event event);
void irqscope_event_in(struct irqscope_event_log *log, u8 kind, u32 value, u64 address,
		       unsigned long flags);
void irqscope_event_log_open(struct irqscope_event_log *log);
void irqscope_event_log_close(struct irqscope_event_log *log);
void irqscope_interference_open(struct irqscope *scope);

/* explaining.c */
DECLARE_STATIC_KEY_FALSE(irqscope_explaining);
void irqscope_event_log_reset(struct irqscope_event_log *log);
int irqscope_event_log_resize(struct irqscope_event_log *log, u32 size);
int irqscope_interference_prepare(struct irqscope *scope);
void irqscope_interference_unprepare(struct irqscope *scope);
void irqscope_interference_init(struct irqscope *scope);
void irqscope_interference_free(struct irqscope *scope);

/* others.c */
void irqscope_event_elsewhere(const struct irqscope_interference *all, u8 kind, u32 value,
			      u64 address);
int irqscope_others_prepare(const struct irqscope *scope);
void irqscope_others_unprepare(void);
struct irqscope_event_log *irqscope_other_log(int cpu);
u64 irqscope_others_lost(void);
void irqscope_others_free(void);

/* probes.c */
int irqscope_probes_register(struct irqscope *scope);
void irqscope_probes_unregister(struct irqscope *scope);
ssize_t irqscope_probes_lacking(struct irqscope *scope, char *page);

/* callbacks.c */
void irqscope_callbacks_register(struct irqscope *scope);
void irqscope_callbacks_unregister(void);
ssize_t irqscope_callbacks_lacking(const struct irqscope *scope, char *page, ssize_t length);

/* context.c */
u64 irqscope_interrupted(void);
void irqscope_context_triggered(struct irqscope *scope, u64 seq, u64 cycles);
void irqscope_context_entered(struct irqscope *scope, u64 address, bool known);

/* events.c */
int irqscope_events_register(void);
void irqscope_events_unregister(void);

#endif /* IRQSCOPE_INTERFERENCE_H */
