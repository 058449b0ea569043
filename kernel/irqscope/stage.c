// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of stages, and making the asked ones ready.
 */
#include <linux/string.h>

#include "compat.h"
#include "internal.h"

#define IRQSCOPE_STAGE_OPS(number, name) \
	[IRQSCOPE_##number] = &irqscope_##name##_stage,
#define IRQSCOPE_STAGE_NAME(number, name) \
	[IRQSCOPE_##number] = #name,

static const struct irqscope_stage_ops *const irqscope_stage_table[] = {
	IRQSCOPE_STAGE_LIST(IRQSCOPE_STAGE_OPS)
};

static const char *const irqscope_stage_names[] = {
	IRQSCOPE_STAGE_LIST(IRQSCOPE_STAGE_NAME)
};

/**
 * irqscope_stages_available() - which stages this kernel has
 *
 * Return: a mask
 */
u32 irqscope_stages_available(void)
{
	unsigned int index;
	u32 mask = 0;

	for (index = 0; index < IRQSCOPE_STAGES; index++)
		if (irqscope_stage_table[index]->prepare)
			mask |= BIT(index);
	return mask;
}

/**
 * irqscope_stage_name() - a stage's name
 * @index: enum irqscope_stage
 *
 * Return: the name
 */
const char *irqscope_stage_name(unsigned int index)
{
	return irqscope_stage_names[index];
}

/**
 * irqscope_stage_by_name() - look an available stage up
 * @name: its name, not terminated
 * @length: of @name
 *
 * Return: enum irqscope_stage, or -1
 */
int irqscope_stage_by_name(const char *name, size_t length)
{
	unsigned long available = irqscope_stages_available();
	unsigned int index;

	for_each_set_bit(index, &available, IRQSCOPE_STAGES) {
		const char *known = irqscope_stage_name(index);

		if (strlen(known) == length && !memcmp(known, name, length))
			return index;
	}
	return -1;
}

static void irqscope_stages_unprepare_below(struct irqscope *scope, unsigned int end)
{
	while (end--)
		if (scope->settings.stages & BIT(end))
			scope->stages[end].ops->unprepare(&scope->stages[end]);
}

/**
 * irqscope_stages_prepare() - make all asked stages ready to be raised
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_stages_prepare(struct irqscope *scope)
{
	unsigned long asked = scope->settings.stages;
	unsigned int index;
	int err;

	for_each_set_bit(index, &asked, IRQSCOPE_STAGES) {
		err = scope->stages[index].ops->prepare(&scope->stages[index]);
		if (err) {
			irqscope_stages_unprepare_below(scope, index);
			return err;
		}
	}
	return 0;
}

/**
 * irqscope_stages_unprepare() - none of the asked stages runs any more
 * @scope: the scope
 */
void irqscope_stages_unprepare(struct irqscope *scope)
{
	irqscope_stages_unprepare_below(scope, IRQSCOPE_STAGES);
}

/**
 * irqscope_stages_init() - tie the stages to their scope
 * @scope: the scope
 */
void irqscope_stages_init(struct irqscope *scope)
{
	unsigned int index;

	for (index = 0; index < IRQSCOPE_STAGES; index++) {
		scope->stages[index].scope = scope;
		scope->stages[index].index = index;
		scope->stages[index].ops = irqscope_stage_table[index];
	}
}
