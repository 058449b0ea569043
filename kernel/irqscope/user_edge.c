// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The user stage's edge, made by the thread itself.
 *
 * Where a user thread can drive its line, write() is no part of what lies between
 * its stamp and its edge: on a PC's port it changes its bit of the wires, which it
 * shares with the other stages, and writes them with OUT; of line `memory` it
 * stores its word. The page at offset 0 of /dev/irqscope-user says how, and holds
 * the wires; that at offset 1 is the one of /dev/irqscope-memory. A run offers this
 * when it arms its line and withdraws it before it closes what is open.
 *
 * A GPIO line needs a system call from user space as well, so that nothing would be
 * gained; the words of ivshmem may vanish with their device.
 */
#include <linux/build_bug.h>
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/vmalloc.h>

#include "internal.h"

#define WITHDRAW_POLL_US	500
#define WITHDRAW_LIMIT_MS	1000

static_assert(sizeof(struct irqscope_user_edge) <= PAGE_SIZE);

/**
 * irqscope_user_edge_init() - make the page
 * @scope: the scope
 *
 * Return: 0 or -ENOMEM
 */
int irqscope_user_edge_init(struct irqscope *scope)
{
	scope->user.edge = vmalloc_user(PAGE_SIZE);
	if (!scope->user.edge)
		return -ENOMEM;
	scope->line.wires = (atomic_t *)&scope->user.edge->wires;
	return 0;
}

/**
 * irqscope_user_edge_free() - free the page, which is not mapped any more
 * @scope: the scope
 */
void irqscope_user_edge_free(struct irqscope *scope)
{
	vfree(scope->user.edge);
}

/**
 * irqscope_user_edge_mmap() - map the page, or that of line `memory`
 * @scope: the scope
 * @vma: one page, shared, at offset 0 or 1
 *
 * Return: 0 or a negative errno
 */
int irqscope_user_edge_mmap(struct irqscope *scope, struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	switch (vma->vm_pgoff) {
	case IRQSCOPE_USER_EDGE_PAGE:
		return remap_vmalloc_range(vma, scope->user.edge, 0);
	case IRQSCOPE_USER_WORDS_PAGE:
		return irqscope_memory_map(vma);
	default:
		return -EINVAL;
	}
}

/* Returns how the thread can drive its line itself. */
static u32 irqscope_user_edge_way(const struct irqscope *scope)
{
	const struct irqscope_responder *stage = &scope->stages[IRQSCOPE_USER];

#ifdef IRQSCOPE_TEST
	if (stage->delay_instructions) /* executed in write(), before its edge */
		return IRQSCOPE_EDGE_WRITE;
#endif
	if (IS_ENABLED(CONFIG_X86) && stage->line_bit && scope->line.io_base)
		return stage->line_bit <= 0xff ? IRQSCOPE_EDGE_DATA : IRQSCOPE_EDGE_CONTROL;
	if (stage->word && irqscope_memory_is(scope->line.port))
		return IRQSCOPE_EDGE_WORD;
	return IRQSCOPE_EDGE_WRITE;
}

/**
 * irqscope_user_edge_offer() - say how the thread can make its edges in this run
 * @scope: the scope, whose line is armed and has no trigger yet
 */
void irqscope_user_edge_offer(struct irqscope *scope)
{
	const struct irqscope_responder *stage = &scope->stages[IRQSCOPE_USER];
	struct irqscope_user_edge *edge = scope->user.edge;

	WRITE_ONCE(scope->user.way, irqscope_user_edge_way(scope));
	edge->step = stage->line_bit;
	edge->port = scope->line.io_base + (scope->user.way == IRQSCOPE_EDGE_CONTROL ?
					    IRQSCOPE_PC_CONTROL : IRQSCOPE_PC_DATA);
	edge->keep = scope->line.control;
	edge->word = irqscope_memory_word(stage->word);
	/* The thread that sees it sees the rest: a call comes only after the run's start. */
	smp_store_release(&edge->way, scope->user.way);
}

/**
 * irqscope_user_edge_made() - let the thread's next edge be the opposite of the driver's
 * @scope: the scope, whose driver has just made the user stage's edge
 */
void irqscope_user_edge_made(struct irqscope *scope)
{
	struct irqscope_user_edge *edge = scope->user.edge;

	WRITE_ONCE(edge->step, -READ_ONCE(edge->step));
}

/**
 * irqscope_user_edge_withdraw() - let the thread make no more edges
 * @scope: the scope, which has no trigger any more
 *
 * A thread that has read a call and has not answered may be about to make its edge.
 * It is waited for, but not for ever: one that does not come back within a second
 * makes its edge on a line that nothing watches any more.
 */
void irqscope_user_edge_withdraw(struct irqscope *scope)
{
	struct irqscope_user *user = &scope->user;
	unsigned long end = jiffies + msecs_to_jiffies(WITHDRAW_LIMIT_MS);

	if (user->way == IRQSCOPE_EDGE_WRITE)
		return;
	WRITE_ONCE(user->edge->way, IRQSCOPE_EDGE_WRITE);
	/* After it the reader has seen that, or handed_token is seen here. */
	synchronize_rcu();
	while (READ_ONCE(user->handed_token) && time_before(jiffies, end))
		usleep_range(WITHDRAW_POLL_US, 2 * WITHDRAW_POLL_US);
}
