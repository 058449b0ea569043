/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The log of what else the CPU under test did, and what its files share.
 */
#ifndef IRQSCOPE_INTERFERENCE_H
#define IRQSCOPE_INTERFERENCE_H

#include <linux/atomic.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "irqscope.h"

struct irqscope;

/**
 * struct irqscope_interference - what else the CPU under test did
 *
 * Written on that CPU only, by whatever runs there; contexts nest, hence
 * interrupts are off while an event is written, and an NMI that comes in between
 * is counted as lost.
 *
 * Useful invariants:
 *  - Slots from @released to @published are the reader's; those from there on
 *    are the writer's.
 *  - While no sample is open the last IRQSCOPE_HISTORY events lie in a circle
 *    that begins at @published. A trigger makes them the window's beginning
 *    without copying one; their stamps give their order.
 *
 * @cpu: whose events are written, or IRQSCOPE_NO_CPU
 * @slots: the log
 * @size: how many; a power of two
 * @order: of the next event
 * @head: where the next event goes while the window is open
 * @idle: events since the window was closed
 * @published: where the window that was closed last ends
 * @released: slots below were read
 * @lost: events without room, or that came while another was written
 * @open: a sample is open
 * @closing: the last open sample was published; any CPU sets it
 * @busy: an event is being written
 * @current_task: the task that ran when the last event was written; only
 *	compared
 * @last: counter at the last event
 * @smi_after: cycles without an event after which firmware may have run
 * @smis: system management interrupts that were counted
 * @named: threads with their names, mixed, that were written lately
 * @cost_cycles: what writing an event takes, without the way to it
 * @lacking: which of the table's tracepoints this kernel does not have
 * @hooks_lacking: likewise, of the functions that callbacks.c needs
 * @opened: bit 0: /dev/irqscope-events has an opener
 * @reader: serialises the reader with the log's own beginning and end
 * @probing: guards @users, @lacking and @hooks_lacking
 * @users: runs that need the probes; at most one, but for those that fail to start
 * @leaving: how many of them have ended since @leave ran
 * @leave: takes the probes away
 */
struct irqscope_interference {
	int cpu;
	struct irqscope_event *slots;
	u32 size;
	u32 order;
	u64 head;
	u64 idle;
	u64 published;
	u64 released;
	u64 lost;
	bool open;
	bool closing;
	bool busy;
	struct task_struct *current_task;
	u64 last;
	u64 smi_after;
	u32 smis;
	u64 named[64];
	u32 cost_cycles;
	u64 lacking;
	u32 hooks_lacking;
	unsigned long opened;
	struct mutex reader; /* released, and the memory itself */
	struct mutex probing;
	unsigned int users;
	atomic_t leaving;
	struct work_struct leave;
};

#define IRQSCOPE_NO_CPU	(-1)

/* interference.c */
DECLARE_STATIC_KEY_FALSE(irqscope_explaining);
void irqscope_event(struct irqscope *scope, u8 kind, u32 value, u64 address);
void irqscope_event_at(struct irqscope *scope, struct irqscope_event event);
void irqscope_interference_open(struct irqscope *scope);
int irqscope_interference_prepare(struct irqscope *scope);
void irqscope_interference_unprepare(struct irqscope *scope);
void irqscope_interference_init(struct irqscope *scope);
void irqscope_interference_free(struct irqscope *scope);

/* probes.c */
void irqscope_probes_init(struct irqscope *scope);
int irqscope_probes_get(struct irqscope *scope);
void irqscope_probes_put(struct irqscope *scope, unsigned int users);
void irqscope_probes_put_later(struct irqscope *scope);
ssize_t irqscope_probes_lacking(struct irqscope *scope, char *page);

/* callbacks.c */
void irqscope_callbacks_register(struct irqscope *scope);
void irqscope_callbacks_unregister(void);
ssize_t irqscope_callbacks_lacking(const struct irqscope *scope, char *page, ssize_t length);

/* context.c */
u64 irqscope_interrupted(void);
void irqscope_context_triggered(struct irqscope *scope, u64 seq, u64 cycles);

/* events.c */
int irqscope_events_register(void);
void irqscope_events_unregister(void);

#endif /* IRQSCOPE_INTERFERENCE_H */
