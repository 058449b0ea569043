// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The directory /sys/class/misc/irqscope/settings/, but for `stages`.
 *
 * Three tables: numbers with a range, choices by name, and schedulings. A
 * value is checked when it is written, alone; what depends on several of them
 * is checked when a run starts. A bad one gets an errno, and one line in the
 * log that says what is allowed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "internal.h"

#define HOUR_NS	3600000000000LL

struct irqscope_number {
	struct device_attribute attribute;
	size_t offset;
	s64 minimum;
	s64 maximum;
	int (*check)(struct irqscope *scope, s64 value);
};

struct irqscope_choice {
	struct device_attribute attribute;
	size_t offset;
	const char *const *names;
	int (*check)(u32 choice);
};

struct irqscope_scheduling {
	struct device_attribute attribute;
	size_t offset;
};

static void *irqscope_setting(size_t offset)
{
	return (void *)&irqscope.settings + offset;
}

/**
 * irqscope_settings_lock() - take control unless a run is active
 * @name: of the setting that is to be changed
 *
 * Return: 0 with control taken, or -EBUSY, which was logged
 */
int irqscope_settings_lock(const char *name)
{
	/* Not to wait for a run that drains. */
	if (!READ_ONCE(irqscope.active)) {
		mutex_lock(&irqscope.control);
		if (!irqscope.active)
			return 0;
		mutex_unlock(&irqscope.control);
	}
	pr_err("%s cannot be set while a run is active\n", name);
	return -EBUSY;
}

static ssize_t number_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct irqscope_number *number =
		container_of(attribute, struct irqscope_number, attribute);

	return sysfs_emit(page, "%lld\n", READ_ONCE(*(s64 *)irqscope_setting(number->offset)));
}

static ssize_t number_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t length)
{
	struct irqscope_number *number =
		container_of(attribute, struct irqscope_number, attribute);
	const char *name = attribute->attr.name;
	s64 value;
	int err = kstrtos64(text, 0, &value);

	if (!err && (value < number->minimum || value > number->maximum))
		err = -ERANGE;
	if (err) {
		pr_err("%s must be a number from %lld to %lld\n", name, number->minimum,
		       number->maximum);
		return err;
	}
	err = irqscope_settings_lock(name);
	if (err)
		return err;
	err = number->check ? number->check(&irqscope, value) : 0;
	if (!err)
		WRITE_ONCE(*(s64 *)irqscope_setting(number->offset), value);
	mutex_unlock(&irqscope.control);
	return err ? err : length;
}

static int irqscope_check_cpu(struct irqscope *scope, s64 cpu)
{
	if (cpu < 0 || (cpu < nr_cpu_ids && cpu_online(cpu)))
		return 0;
	pr_err("cpu %lld is not online: choose one of %*pbl\n", cpu,
	       cpumask_pr_args(cpu_online_mask));
	return -ENODEV;
}

static int irqscope_check_slots(struct irqscope *scope, s64 slots)
{
	int err;

	if (!is_power_of_2(slots)) {
		pr_err("slots must be a power of two\n");
		return -EINVAL;
	}
	err = irqscope_ring_resize(scope, slots);
	if (err)
		pr_err("slots cannot be set while the ring is mapped\n");
	return err;
}

static int irqscope_check_events(struct irqscope *scope, s64 events)
{
	if (is_power_of_2(events))
		return 0;
	pr_err("events must be a power of two\n");
	return -EINVAL;
}

#ifdef IRQSCOPE_TEST
static int irqscope_check_delay_stage(struct irqscope *scope, s64 stage)
{
	unsigned int index;

	for (index = 0; index < IRQSCOPE_STAGES; index++)
		scope->stages[index].delay_instructions =
			index == stage ? scope->settings.delay_instructions : 0;
	return 0;
}

static int irqscope_check_delay(struct irqscope *scope, s64 instructions)
{
	if (instructions % 2) {
		pr_err("delay_instructions must be even\n");
		return -EINVAL;
	}
	scope->stages[scope->settings.delay_stage].delay_instructions = instructions;
	return 0;
}
#endif

static ssize_t choice_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct irqscope_choice *choice =
		container_of(attribute, struct irqscope_choice, attribute);

	return sysfs_emit(page, "%s\n",
			  choice->names[READ_ONCE(*(u32 *)irqscope_setting(choice->offset))]);
}

static void irqscope_choice_log(const char *name, const char *const *names)
{
	char allowed[80] = "";

	for (; *names; names++) {
		strlcat(allowed, " ", sizeof(allowed));
		strlcat(allowed, *names, sizeof(allowed));
	}
	pr_err("%s must be one of:%s\n", name, allowed);
}

/**
 * irqscope_choice_find() - look a name up
 * @names: all there are, NULL at the end
 * @text: one of them; a newline may follow
 *
 * Return: its index or -EINVAL
 */
int irqscope_choice_find(const char *const *names, const char *text)
{
	int index;

	for (index = 0; names[index]; index++)
		if (sysfs_streq(text, names[index]))
			return index;
	return -EINVAL;
}

static ssize_t choice_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t length)
{
	struct irqscope_choice *choice =
		container_of(attribute, struct irqscope_choice, attribute);
	const char *name = attribute->attr.name;
	int index = irqscope_choice_find(choice->names, text);
	int err;

	if (index < 0) {
		irqscope_choice_log(name, choice->names);
		return index;
	}
	err = irqscope_settings_lock(name);
	if (err)
		return err;
	err = choice->check ? choice->check(index) : 0;
	if (!err)
		WRITE_ONCE(*(u32 *)irqscope_setting(choice->offset), index);
	mutex_unlock(&irqscope.control);
	return err ? err : length;
}

static int irqscope_check_line(u32 line)
{
	if (irqscope_line_available(line))
		return 0;
	pr_err("line %s has no port: load irqscope_%s\n", irqscope_line_names[line],
	       irqscope_line_names[line]);
	return -ENODEV;
}

static const char *const irqscope_policies[] = {
	[IRQSCOPE_FIFO] = "fifo",
	[IRQSCOPE_RR] = "rr",
	[IRQSCOPE_OTHER] = "other",
	NULL
};

static ssize_t scheduling_show(struct device *device, struct device_attribute *attribute,
			       char *page)
{
	struct irqscope_scheduling *scheduling =
		container_of(attribute, struct irqscope_scheduling, attribute);
	struct irqscope_sched sched;

	if (mutex_lock_interruptible(&irqscope.control))
		return -EINTR;
	sched = *(struct irqscope_sched *)irqscope_setting(scheduling->offset);
	mutex_unlock(&irqscope.control);
	return sysfs_emit(page, "%s %d\n", irqscope_policies[sched.policy], sched.value);
}

static int irqscope_sched_parse(const char *text, struct irqscope_sched *sched)
{
	char policy[8];
	int index;

	if (sscanf(text, "%7s %d", policy, &sched->value) != 2)
		return -EINVAL;
	index = irqscope_choice_find(irqscope_policies, policy);
	if (index < 0)
		return index;
	sched->policy = index;
	if (index == IRQSCOPE_OTHER)
		return sched->value >= -20 && sched->value <= 19 ? 0 : -ERANGE;
	return sched->value >= 1 && sched->value <= 99 ? 0 : -ERANGE;
}

static ssize_t scheduling_store(struct device *device, struct device_attribute *attribute,
				const char *text, size_t length)
{
	struct irqscope_scheduling *scheduling =
		container_of(attribute, struct irqscope_scheduling, attribute);
	const char *name = attribute->attr.name;
	struct irqscope_sched sched;
	int err = irqscope_sched_parse(text, &sched);

	if (err) {
		pr_err("%s must be \"fifo 1..99\", \"rr 1..99\" or \"other -20..19\"\n", name);
		return err;
	}
	err = irqscope_settings_lock(name);
	if (err)
		return err;
	*(struct irqscope_sched *)irqscope_setting(scheduling->offset) = sched;
	mutex_unlock(&irqscope.control);
	return length;
}

#define NUMBER(_name, _minimum, _maximum, _check)				\
	static struct irqscope_number irqscope_##_name = {			\
		.attribute = __ATTR(_name, 0644, number_show, number_store),	\
		.offset = offsetof(struct irqscope_settings, _name),		\
		.minimum = _minimum,						\
		.maximum = _maximum,						\
		.check = _check,						\
	}

#define CHOICE(_name, _names, _check)						\
	static struct irqscope_choice irqscope_##_name = {			\
		.attribute = __ATTR(_name, 0644, choice_show, choice_store),	\
		.offset = offsetof(struct irqscope_settings, _name),		\
		.names = _names,						\
		.check = _check,						\
	}

#define SCHEDULING(_name)							\
	static struct irqscope_scheduling irqscope_##_name##_sched = {		\
		.attribute = __ATTR(_name##_sched, 0644, scheduling_show,	\
				    scheduling_store),				\
		.offset = offsetof(struct irqscope_settings, _name),		\
	}

static const char *const irqscope_insides[] = { "on", "off", NULL };
static const char *const irqscope_explains[] = { "off", "on", NULL };
static const char *const irqscope_modes[] = { "together", "isolated", NULL };
static const char *const irqscope_pacings[] = { "open", "closed", NULL };
static const char *const irqscope_jitters[] = { "none", "uniform", "exponential", NULL };
static const char *const irqscope_compensates[] = { "none", "counter", NULL };

NUMBER(irq, 1, INT_MAX, NULL);
NUMBER(period_ns, IRQSCOPE_PERIOD_MIN_NS, HOUR_NS, NULL);
NUMBER(burst, 1, 1 << 20, NULL);
NUMBER(interval_ns, IRQSCOPE_PERIOD_MIN_NS, HOUR_NS, NULL);
NUMBER(count, 1, 1LL << 32, NULL);
NUMBER(jitter_ns, 0, HOUR_NS, NULL);
NUMBER(turn_length, 1, 1 << 20, NULL);
NUMBER(seed, 0, S64_MAX, NULL);
NUMBER(cpu, 0, INT_MAX, irqscope_check_cpu);
NUMBER(inject_cpu, -1, INT_MAX, irqscope_check_cpu);
NUMBER(slots, 4, 1 << 22, irqscope_check_slots);
NUMBER(events, 4 * IRQSCOPE_HISTORY, 1 << 24, irqscope_check_events);
NUMBER(timeout_ms, 1, 600000, NULL);
CHOICE(trigger, irqscope_trigger_names, NULL);
CHOICE(line, irqscope_line_names, irqscope_check_line);
CHOICE(inside, irqscope_insides, NULL);
CHOICE(explain, irqscope_explains, NULL);
CHOICE(mode, irqscope_modes, NULL);
CHOICE(pacing, irqscope_pacings, NULL);
CHOICE(jitter, irqscope_jitters, NULL);
CHOICE(compensate, irqscope_compensates, NULL);
SCHEDULING(kthread);
SCHEDULING(thread);
#ifdef IRQSCOPE_TEST
NUMBER(delay_stage, 0, IRQSCOPE_STAGES - 1, irqscope_check_delay_stage);
NUMBER(delay_instructions, 0, 1 << 30, irqscope_check_delay);
#endif

static struct attribute *irqscope_settings_attributes[] = {
	&irqscope_stages_attribute.attr,
	&irqscope_irq.attribute.attr,
	&irqscope_execution_attribute.attr,
	&irqscope_period_ns.attribute.attr,
	&irqscope_burst.attribute.attr,
	&irqscope_interval_ns.attribute.attr,
	&irqscope_count.attribute.attr,
	&irqscope_jitter_ns.attribute.attr,
	&irqscope_turn_length.attribute.attr,
	&irqscope_seed.attribute.attr,
	&irqscope_cpu.attribute.attr,
	&irqscope_inject_cpu.attribute.attr,
	&irqscope_slots.attribute.attr,
	&irqscope_events.attribute.attr,
	&irqscope_timeout_ms.attribute.attr,
	&irqscope_trigger.attribute.attr,
	&irqscope_line.attribute.attr,
	&irqscope_inside.attribute.attr,
	&irqscope_explain.attribute.attr,
	&irqscope_mode.attribute.attr,
	&irqscope_pacing.attribute.attr,
	&irqscope_jitter.attribute.attr,
	&irqscope_compensate.attribute.attr,
	&irqscope_kthread_sched.attribute.attr,
	&irqscope_thread_sched.attribute.attr,
#ifdef IRQSCOPE_TEST
	&irqscope_delay_stage.attribute.attr,
	&irqscope_delay_instructions.attribute.attr,
#endif
	NULL
};

const struct attribute_group irqscope_settings_group = {
	.name = "settings",
	.attrs = irqscope_settings_attributes,
};

/**
 * irqscope_settings_init() - the settings of a driver just loaded
 * @scope: the scope
 */
void irqscope_settings_init(struct irqscope *scope)
{
	scope->settings = (struct irqscope_settings){
		.stages = irqscope_stages_available(),
		.irq = 7,
		.period_ns = NSEC_PER_MSEC,
		.burst = 1,
		.interval_ns = IRQSCOPE_PERIOD_MIN_NS,
		.count = 1000,
		.inject_cpu = -1,
		.slots = 8192,
		.events = 1 << 18,
		.turn_length = 1,
		.timeout_ms = 10000,
		.kthread = { .policy = IRQSCOPE_FIFO, .value = IRQSCOPE_FIFO_DEFAULT },
		/* The kernel gives this to every threaded handler. */
		.thread = { .policy = IRQSCOPE_FIFO, .value = 50 },
	};
}
