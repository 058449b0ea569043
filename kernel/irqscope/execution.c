// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Execution times: what a stage does after its first act, and how long.
 *
 * A stage that has been given an execution time shows a pulse instead of a
 * change: its line is high from its first act until it has executed a number of
 * rounds of a loop. Work, not a deadline: what interrupts a stage makes it take
 * longer, as it would make a driver's own work take longer. How many rounds a
 * time has is measured when the module is loaded.
 *
 * Times are drawn one execution ahead, so that drawing adds to no latency.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "hot.h"

#define CALIBRATION	4096	/* rounds */
#define SECOND_NS	1000000000ULL

DEFINE_STATIC_KEY_FALSE(irqscope_executing);

static const char *const irqscope_distributions[] = {
	[IRQSCOPE_FIXED] = "fixed",
	[IRQSCOPE_BETWEEN] = "uniform",
	[IRQSCOPE_MEAN] = "exponential",
	NULL
};

/*
 * Two instructions a round wherever the architecture has them, so that in a
 * machine that counts instructions a time is exact.
 */
static __always_inline void irqscope_rounds(u64 rounds)
{
	if (!rounds)
		return;
#ifdef CONFIG_X86
	asm volatile("1:\tdecq %0\n\tjnz 1b" : "+r" (rounds) : : "cc");
#elif defined(CONFIG_RISCV)
	asm volatile("1:\taddi %0, %0, -1\n\tbnez %0, 1b" : "+r" (rounds));
#else
	while (rounds--)
		barrier();
#endif
}

static u64 irqscope_execution_ns(struct irqscope_execution *execution)
{
	switch (execution->distribution) {
	case IRQSCOPE_BETWEEN:
		return execution->first_ns +
		       irqscope_random_below(&execution->random,
					     execution->second_ns - execution->first_ns + 1);
	case IRQSCOPE_MEAN:
		return irqscope_random_exponential(&execution->random, execution->first_ns);
	default:
		return execution->first_ns;
	}
}

/* At most 22 times a second, by 10^6, is far below 2^64. */
static void irqscope_execution_draw(struct irqscope_responder *stage)
{
	u64 round_fs = stage->scope->round_fs;
	u64 ns = irqscope_execution_ns(&stage->execution);

	stage->execution.rounds = div64_u64(ns * 1000000 + round_fs / 2, round_fs);
}

/**
 * irqscope_execution_next() - hand out what is drawn, and draw anew
 * @stage: the stage
 *
 * Return: rounds
 */
u64 irqscope_execution_next(struct irqscope_responder *stage)
{
	u64 rounds = stage->execution.rounds;

	irqscope_execution_draw(stage);
	return rounds;
}

/**
 * irqscope_execution_pass() - execute, then let the line fall
 * @stage: the stage, whose line is high
 * @cycles: the stamp of its first act
 *
 * Return: cycles from there to the stamp right before the falling edge
 */
u64 irqscope_execution_pass(struct irqscope_responder *stage, u64 cycles)
{
	u64 end;

	irqscope_rounds(stage->execution.rounds);
	end = irqscope_stamp();
	irqscope_fall(stage);
	irqscope_execution_draw(stage);
	return end - cycles;
}

/**
 * irqscope_execution_calibrate() - measure how long a round takes
 * @scope: the scope, whose tick is known
 *
 * The difference of two runs, so that what surrounds the loop does not count; the
 * shortest of several, so that no interrupt of the machine below does. In a guest whose
 * CPU waits for another one each time, the longer run can seem the shorter one: then it
 * counts with what surrounds it.
 */
void irqscope_execution_calibrate(struct irqscope *scope)
{
	u64 least[2] = { U64_MAX, U64_MAX };
	u64 cycles, rounds;
	unsigned long flags;
	int attempt, run;
	u64 begin;

	for (attempt = 0; attempt < 16; attempt++) {
		for (run = 0; run < 2; run++) {
			local_irq_save(flags);
			begin = get_cycles();
			irqscope_rounds((run + 1) * CALIBRATION);
			least[run] = min_t(u64, least[run], get_cycles() - begin);
			local_irq_restore(flags);
		}
	}
	cycles = least[1] > least[0] ? least[1] - least[0] : least[1];
	rounds = least[1] > least[0] ? CALIBRATION : 2 * CALIBRATION;
	scope->round_fs = max_t(u64, 1, mul_u64_u64_div_u64(cycles, scope->tick_fs, rounds));
}

/**
 * irqscope_execution_prepare() - draw the first execution times of a run
 * @scope: the scope
 *
 * The caller holds the hotplug lock; see irqscope_bare_prepare().
 */
void irqscope_execution_prepare(struct irqscope *scope)
{
	unsigned int index;

	for (index = 0; index < IRQSCOPE_STAGES; index++) {
		struct irqscope_responder *stage = &scope->stages[index];

		stage->execution.random = scope->settings.seed + index;
		irqscope_execution_draw(stage);
	}
	if (scope->settings.executing)
		static_branch_enable_cpuslocked(&irqscope_executing);
	else
		static_branch_disable_cpuslocked(&irqscope_executing);
}

static ssize_t irqscope_execution_emit(char *page)
{
	ssize_t length = 0;
	unsigned int index;

	if (!irqscope.settings.executing)
		return sysfs_emit(page, "off\n");
	for (index = 0; index < IRQSCOPE_STAGES; index++) {
		struct irqscope_execution *execution = &irqscope.stages[index].execution;

		if (!(irqscope_stages_available() & BIT(index)))
			continue;
		length += sysfs_emit_at(page, length, "%s%s %s %llu", length ? " " : "",
					irqscope_stage_name(index),
					irqscope_distributions[execution->distribution],
					execution->first_ns);
		if (execution->distribution == IRQSCOPE_BETWEEN)
			length += sysfs_emit_at(page, length, " %llu", execution->second_ns);
	}
	return length + sysfs_emit_at(page, length, "\n");
}

static ssize_t execution_show(struct device *device, struct device_attribute *attribute,
			      char *page)
{
	ssize_t length;

	if (mutex_lock_interruptible(&irqscope.control))
		return -EINTR;
	length = irqscope_execution_emit(page);
	mutex_unlock(&irqscope.control);
	return length;
}

static char *irqscope_word(char **text)
{
	char *word;

	do {
		word = strsep(text, " \t\n");
	} while (word && !*word);
	return word;
}

static bool irqscope_execution_time(char **text, u64 *ns)
{
	char *word = irqscope_word(text);

	return word && !kstrtou64(word, 10, ns) && *ns <= SECOND_NS;
}

/* STAGE fixed NS, STAGE uniform NS NS, STAGE exponential NS; as many as there are. */
static bool irqscope_execution_parse(char *text, struct irqscope_execution *executions)
{
	char *word;

	while ((word = irqscope_word(&text))) {
		int index = irqscope_stage_by_name(word, strlen(word));
		struct irqscope_execution execution = { };
		int distribution;

		word = irqscope_word(&text);
		if (index < 0 || !word)
			return false;
		distribution = irqscope_choice_find(irqscope_distributions, word);
		if (distribution < 0 || !irqscope_execution_time(&text, &execution.first_ns))
			return false;
		execution.distribution = distribution;
		if (distribution == IRQSCOPE_BETWEEN &&
		    (!irqscope_execution_time(&text, &execution.second_ns) ||
		     execution.second_ns < execution.first_ns))
			return false;
		executions[index] = execution;
	}
	return true;
}

static int irqscope_execution_set(const char *text, struct irqscope_execution *executions)
{
	char *copy;
	bool fine;

	if (sysfs_streq(text, "off"))
		return 0;
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	fine = irqscope_execution_parse(copy, executions);
	kfree(copy);
	if (fine)
		return 0;
	pr_err("execution must be \"off\" or a list of \"STAGE fixed NS\", \"STAGE uniform LOWEST_NS HIGHEST_NS\", \"STAGE exponential MEAN_NS\", of at most a second each\n");
	return -EINVAL;
}

static ssize_t execution_store(struct device *device, struct device_attribute *attribute,
			       const char *text, size_t length)
{
	struct irqscope_execution executions[IRQSCOPE_STAGES] = { };
	unsigned int index;
	int err = irqscope_execution_set(text, executions);

	if (!err)
		err = irqscope_settings_lock("execution");
	if (err)
		return err;
	for (index = 0; index < IRQSCOPE_STAGES; index++)
		irqscope.stages[index].execution = executions[index];
	irqscope.settings.executing = !sysfs_streq(text, "off");
	mutex_unlock(&irqscope.control);
	return length;
}

struct device_attribute irqscope_execution_attribute =
	__ATTR(execution, 0644, execution_show, execution_store);
