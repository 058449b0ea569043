// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the cost of the driver's own stamping when it is loaded.
 *
 * A scope of its own with one slot, whose samples never get published, is
 * stamped and answered with interrupts off; the median of many rounds, less
 * that of two readings of the counter in a row. Edges are not included: they
 * cost what the port costs. Nor is the reading of both clocks, which is one for
 * a sample and comes after an answer.
 */
#include <linux/slab.h>
#include <linux/sort.h>

#include "hot.h"

#define ROUNDS	101

struct irqscope_dummy {
	struct irqscope scope;
	struct irqscope_ring header;
	struct irqscope_sample sample;
	struct irqscope_flight flight;
	u32 rounds[ROUNDS];
};

static int irqscope_compare(const void *left, const void *right)
{
	u32 a = *(const u32 *)left, b = *(const u32 *)right;

	return a < b ? -1 : a > b;
}

static u32 irqscope_median(u32 *rounds)
{
	sort(rounds, ROUNDS, sizeof(*rounds), irqscope_compare, NULL);
	return rounds[ROUNDS / 2];
}

static noinline u32 irqscope_cost_empty(struct irqscope_dummy *dummy)
{
	unsigned long flags;
	u64 begin;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		local_irq_save(flags);
		begin = get_cycles();
		dummy->rounds[round] = get_cycles() - begin;
		local_irq_restore(flags);
	}
	return irqscope_median(dummy->rounds);
}

static noinline u32 irqscope_cost_stage(struct irqscope_dummy *dummy,
					struct irqscope_responder *stage)
{
	unsigned long flags;
	u64 begin;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		atomic64_set(&stage->pending, 1);
		local_irq_save(flags);
		begin = get_cycles();
		irqscope_answer(stage, irqscope_enter(stage));
		dummy->rounds[round] = get_cycles() - begin;
		local_irq_restore(flags);
	}
	return irqscope_median(dummy->rounds);
}

/**
 * irqscope_cost_measure() - measure what the stamping of each stage costs
 * @scope: where the result goes
 *
 * Return: 0 or -ENOMEM
 */
int irqscope_cost_measure(struct irqscope *scope)
{
	struct irqscope_dummy *dummy = kzalloc(sizeof(*dummy), GFP_KERNEL);
	unsigned int index;
	u32 empty, cycles;

	if (!dummy)
		return -ENOMEM;
	irqscope_stages_init(&dummy->scope);
	dummy->scope.trigger = irqscope_trigger_ops(IRQSCOPE_TIMER);
	dummy->scope.buffer.header = &dummy->header;
	dummy->scope.buffer.samples = &dummy->sample;
	dummy->scope.buffer.flights = &dummy->flight;
	dummy->scope.buffer.slots = 1;
	dummy->flight.settled = true;
	atomic_set(&dummy->flight.references, INT_MAX);

	empty = irqscope_cost_empty(dummy);
	for (index = 0; index < IRQSCOPE_STAGES; index++) {
		cycles = irqscope_cost_stage(dummy, &dummy->scope.stages[index]);
		scope->cost_cycles[index] = cycles > empty ? cycles - empty : 0;
	}
	kfree(dummy);
	return 0;
}
