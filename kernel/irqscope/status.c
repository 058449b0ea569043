// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The attributes beside the settings: run, state, counters, facts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "internal.h"
#include "mark.h"

static ssize_t run_show(struct device *device, struct device_attribute *attribute, char *page)
{
	return sysfs_emit(page, "%d\n", READ_ONCE(irqscope.active));
}

static ssize_t run_store(struct device *device, struct device_attribute *attribute,
			 const char *text, size_t length)
{
	bool start;
	int err = kstrtobool(text, &start);

	if (err) {
		pr_err("run must be 1 to start or 0 to stop\n");
		return err;
	}
	if (start)
		err = irqscope_run_start(&irqscope);
	else
		irqscope_run_stop(&irqscope, IRQSCOPE_STOPPED, 0);
	return err ? err : length;
}

static ssize_t irqscope_failure_emit(char *page)
{
	int detail;
	enum irqscope_verdict verdict = irqscope_run_verdict(&irqscope, &detail);

	if (verdict == IRQSCOPE_CPU_OFFLINE)
		return sysfs_emit(page, "failed: cpu %d went offline\n", detail);
	if (verdict == IRQSCOPE_GENERATOR_GONE)
		return sysfs_emit(page, "failed: its generator closed /dev/irqscope-memory\n");
	if (verdict == IRQSCOPE_SLEEPER_GONE)
		return sysfs_emit(page, "failed: its thread closed /dev/irqscope-user\n");
	return sysfs_emit(page, "failed: irq %lld could not be injected (%d)\n",
			  READ_ONCE(irqscope.settings.irq), detail);
}

static ssize_t state_show(struct device *device, struct device_attribute *attribute, char *page)
{
	static const char *const names[] = {
		[IRQSCOPE_STATE_IDLE] = "idle",
		[IRQSCOPE_STATE_RUNNING] = "running",
		[IRQSCOPE_STATE_DRAINING] = "draining",
		[IRQSCOPE_STATE_DONE] = "done",
		[IRQSCOPE_STATE_STOPPED] = "stopped",
	};
	enum irqscope_state state = READ_ONCE(irqscope.state);

	if (state == IRQSCOPE_STATE_FAILED)
		return irqscope_failure_emit(page);
	return sysfs_emit(page, "%s\n", names[state]);
}

static ssize_t abi_show(struct device *device, struct device_attribute *attribute, char *page)
{
	return sysfs_emit(page, "%d\n", IRQSCOPE_ABI);
}

static ssize_t tick_fs_show(struct device *device, struct device_attribute *attribute, char *page)
{
	return sysfs_emit(page, "%llu\n", irqscope.tick_fs);
}

static ssize_t irqscope_pid_emit(char *page, enum irqscope_stage stage)
{
	struct task_struct *task;
	pid_t pid;

	/* The supervisor lets the task go under control only. */
	if (mutex_lock_interruptible(&irqscope.control))
		return -EINTR;
	task = irqscope.stages[stage].task;
	pid = task ? task_pid_nr(task) : 0;
	mutex_unlock(&irqscope.control);
	return sysfs_emit(page, "%d\n", pid);
}

static ssize_t kthread_pid_show(struct device *device, struct device_attribute *attribute,
				char *page)
{
	return irqscope_pid_emit(page, IRQSCOPE_KTHREAD);
}

static ssize_t thread_pid_show(struct device *device, struct device_attribute *attribute,
			       char *page)
{
	return irqscope_pid_emit(page, IRQSCOPE_THREAD);
}

static ssize_t cost_show(struct device *device, struct device_attribute *attribute, char *page)
{
	unsigned long available = irqscope_stages_available();
	unsigned int index;
	ssize_t length = 0;

	for_each_set_bit(index, &available, IRQSCOPE_STAGES)
		length += sysfs_emit_at(page, length, "%s %u\n", irqscope_stage_name(index),
					irqscope.cost_cycles[index]);
	return length;
}

static ssize_t event_cost_show(struct device *device, struct device_attribute *attribute,
			       char *page)
{
	return sysfs_emit(page, "%u\n", READ_ONCE(irqscope.interference.cost_cycles));
}

static ssize_t events_lost_show(struct device *device, struct device_attribute *attribute,
				char *page)
{
	u64 lost = READ_ONCE(irqscope.interference.log.lost) + irqscope_others_lost();

	return sysfs_emit(page, "%llu\n", lost);
}

static ssize_t lacking_tracepoints_show(struct device *device,
					struct device_attribute *attribute, char *page)
{
	return irqscope_probes_lacking(&irqscope, page);
}

/* Something else than a run is measured on a CPU from now on, or, with "off", no longer. */
static ssize_t mark_store(struct device *device, struct device_attribute *attribute,
			  const char *text, size_t size)
{
	unsigned int cpu;
	int err;

	if (sysfs_streq(text, "off")) {
		irqscope_mark_end();
		return size;
	}
	err = kstrtouint(text, 0, &cpu);
	if (err)
		return err;
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	irqscope_mark_begin(cpu);
	return size;
}

static DEVICE_ATTR_RO(event_cost);
static DEVICE_ATTR_RO(events_lost);
static DEVICE_ATTR_RO(lacking_tracepoints);
static DEVICE_ATTR_WO(mark);
static DEVICE_ATTR_RW(run);
static DEVICE_ATTR_RO(state);
static DEVICE_ATTR_RO(abi);
static DEVICE_ATTR_RO(tick_fs);
static DEVICE_ATTR_RO(kthread_pid);
static DEVICE_ATTR_RO(thread_pid);
static DEVICE_ATTR_RO(cost);

static struct attribute *irqscope_status_attributes[] = {
	&dev_attr_mark.attr,
	&dev_attr_run.attr,
	&dev_attr_state.attr,
	&dev_attr_abi.attr,
	&dev_attr_tick_fs.attr,
	&dev_attr_kthread_pid.attr,
	&dev_attr_thread_pid.attr,
	&dev_attr_cost.attr,
	&dev_attr_event_cost.attr,
	&dev_attr_events_lost.attr,
	&dev_attr_lacking_tracepoints.attr,
	&irqscope_available_stages_attribute.attr,
	NULL
};

static const struct attribute_group irqscope_status_group = {
	.attrs = irqscope_status_attributes,
};

struct irqscope_counter {
	struct device_attribute attribute;
	size_t offset;
};

static ssize_t counter_show(struct device *device, struct device_attribute *attribute, char *page)
{
	struct irqscope_counter *counter =
		container_of(attribute, struct irqscope_counter, attribute);
	u64 value = 0;

	mutex_lock(&irqscope.buffer.reader);
	if (irqscope.buffer.header)
		value = READ_ONCE(*(u64 *)((void *)irqscope.buffer.header + counter->offset));
	mutex_unlock(&irqscope.buffer.reader);
	return sysfs_emit(page, "%llu\n", value);
}

#define COUNTER(_name)								\
	static struct irqscope_counter irqscope_counter_##_name = {		\
		.attribute = __ATTR(_name, 0444, counter_show, NULL),		\
		.offset = offsetof(struct irqscope_ring, _name),		\
	}

COUNTER(triggers);
COUNTER(complete);
COUNTER(missing);
COUNTER(coalesced);
COUNTER(overrun);
COUNTER(skipped);
COUNTER(spurious);
COUNTER(published);

static struct attribute *irqscope_counters_attributes[] = {
	&irqscope_counter_triggers.attribute.attr,
	&irqscope_counter_complete.attribute.attr,
	&irqscope_counter_missing.attribute.attr,
	&irqscope_counter_coalesced.attribute.attr,
	&irqscope_counter_overrun.attribute.attr,
	&irqscope_counter_skipped.attribute.attr,
	&irqscope_counter_spurious.attribute.attr,
	&irqscope_counter_published.attribute.attr,
	NULL
};

static const struct attribute_group irqscope_counters_group = {
	.name = "counters",
	.attrs = irqscope_counters_attributes,
};

const struct attribute_group *irqscope_groups[] = {
	&irqscope_status_group,
	&irqscope_settings_group,
	&irqscope_counters_group,
	NULL
};
