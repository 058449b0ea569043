// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device /dev/irqscope-events: the logs of events, by read().
 *
 * Each read() begins with events of the CPU under test. Those of another CPU follow
 * an IRQSCOPE_CPU with its number.
 *
 * Where explain is on when the device is opened, its probes are there until it is closed, with
 * and without a run: to register one takes a lock that the kernel's optimizer of kprobes holds
 * while it waits for every thread to have left the kernel or to have slept. Loads that do neither
 * for seconds are begun afterwards.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Half a KiB of stack. */
#define AT_ONCE	16

/* The events from @from on that lie together in memory, at most @count. */
static size_t irqscope_events_run(const struct irqscope_event_log *log, u64 from, size_t count)
{
	u64 index = from & (log->size - 1);

	return min_t(u64, count, log->size - index);
}

/*
 * Takes the oldest events out of the log. They are copied twice, because the reader's
 * memory cannot be touched under this lock: mapping the ring takes `control` with that
 * memory locked, and the start of a run takes this one under `control`.
 */
static size_t irqscope_events_take(struct irqscope_interference *all,
				   struct irqscope_event_log *log,
				   struct irqscope_event *to, size_t count)
{
	size_t run = 0;
	u64 published;

	mutex_lock(&all->reader);
	/* Pairs with the release when a window is closed. */
	published = smp_load_acquire(&log->published);
	count = min_t(u64, count, published - log->released);
	if (count) {
		run = irqscope_events_run(log, log->released, count);
		memcpy(to, &log->slots[log->released & (log->size - 1)], run * sizeof(*to));
		/* Pairs with the writer's look for a free slot: it is copied before. */
		smp_store_release(&log->released, log->released + run);
	}
	mutex_unlock(&all->reader);
	return run;
}

/* Where a reader's memory takes the next events. */
struct irqscope_events_to {
	struct irqscope_interference *all;
	char __user *memory;
	size_t length;
	size_t copied;
};

static size_t irqscope_events_room(const struct irqscope_events_to *to)
{
	return (to->length - to->copied) / sizeof(struct irqscope_event);
}

static int irqscope_events_copy(struct irqscope_events_to *to, const struct irqscope_event *events,
				size_t count)
{
	size_t bytes = count * sizeof(*events);

	if (copy_to_user(to->memory + to->copied, events, bytes))
		return -EFAULT;
	to->copied += bytes;
	return 0;
}

static int irqscope_events_copy_log(struct irqscope_events_to *to, struct irqscope_event_log *log)
{
	struct irqscope_event events[AT_ONCE];
	size_t count;
	int err = 0;

	while (!err && irqscope_events_room(to)) {
		count = min_t(size_t, AT_ONCE, irqscope_events_room(to));
		count = irqscope_events_take(to->all, log, events, count);
		if (!count)
			break;
		err = irqscope_events_copy(to, events, count);
	}
	return err;
}

static int irqscope_events_copy_others(struct irqscope_events_to *to)
{
	struct irqscope_event mark = { .kind = IRQSCOPE_CPU };
	int err = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct irqscope_event_log *log = irqscope_other_log(cpu);

		if (READ_ONCE(log->published) == READ_ONCE(log->released))
			continue;
		if (irqscope_events_room(to) < 2)
			break;
		mark.value = cpu;
		err = irqscope_events_copy(to, &mark, 1);
		if (!err)
			err = irqscope_events_copy_log(to, log);
		if (err)
			break;
	}
	return err;
}

static ssize_t irqscope_events_read(struct file *file, char __user *memory, size_t length,
				    loff_t *position)
{
	struct irqscope *scope = file->private_data;
	struct irqscope_events_to to = {
		.all = &scope->interference, .memory = memory, .length = length,
	};
	int err;

	if (length < sizeof(struct irqscope_event))
		return -EINVAL;
	err = irqscope_events_copy_log(&to, &scope->interference.log);
	if (!err)
		err = irqscope_events_copy_others(&to);
	return err ?: to.copied;
}

static int irqscope_events_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = irqscope_opener_get();
	unsigned long probes;
	int err;

	if (!scope)
		return -ENODEV;
	if (test_and_set_bit(0, &scope->interference.opened))
		return -EBUSY;
	probes = irqscope_probing_wanted(scope) & BIT(IRQSCOPE_PROBES_EXPLAIN);
	err = irqscope_probing_get(scope, probes);
	if (err) {
		clear_bit_unlock(0, &scope->interference.opened);
		return err;
	}
	scope->interference.opener_probes = probes;
	file->private_data = scope;
	return stream_open(inode, file);
}

static int irqscope_events_release(struct inode *inode, struct file *file)
{
	struct irqscope *scope = file->private_data;

	irqscope_probing_put(scope, scope->interference.opener_probes);
	clear_bit_unlock(0, &scope->interference.opened);
	return 0;
}

static const struct file_operations irqscope_events_fops = {
	.owner = THIS_MODULE,
	.open = irqscope_events_open,
	.release = irqscope_events_release,
	.read = irqscope_events_read,
};

static struct miscdevice irqscope_events_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqscope-events",
	.fops = &irqscope_events_fops,
};

/**
 * irqscope_events_register() - make /dev/irqscope-events
 *
 * Return: 0 or a negative errno
 */
int irqscope_events_register(void)
{
	return misc_register(&irqscope_events_device);
}

/**
 * irqscope_events_unregister() - remove /dev/irqscope-events
 */
void irqscope_events_unregister(void)
{
	misc_deregister(&irqscope_events_device);
}
