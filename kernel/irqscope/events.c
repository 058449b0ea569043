// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device /dev/irqscope-events: the log of events, by read().
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

/* Half a KiB of stack. */
#define AT_ONCE	16

/* The events from @from on that lie together in memory, at most @count. */
static size_t irqscope_events_run(const struct irqscope_interference *log, u64 from, size_t count)
{
	u64 index = from & (log->size - 1);

	return min_t(u64, count, log->size - index);
}

/*
 * Takes the oldest events out of the log. They are copied twice, because the reader's
 * memory cannot be touched under this lock: mapping the ring takes `control` with that
 * memory locked, and the start of a run takes this one under `control`.
 */
static size_t irqscope_events_take(struct irqscope_interference *log,
				   struct irqscope_event *to, size_t count)
{
	size_t run = 0;
	u64 published;

	mutex_lock(&log->reader);
	/* Pairs with the release when a window is closed. */
	published = smp_load_acquire(&log->published);
	count = min_t(u64, count, published - log->released);
	if (count) {
		run = irqscope_events_run(log, log->released, count);
		memcpy(to, &log->slots[log->released & (log->size - 1)], run * sizeof(*to));
		/* Pairs with the writer's look for a free slot: it is copied before. */
		smp_store_release(&log->released, log->released + run);
	}
	mutex_unlock(&log->reader);
	return run;
}

static ssize_t irqscope_events_read(struct file *file, char __user *to, size_t length,
				    loff_t *position)
{
	struct irqscope *scope = file->private_data;
	struct irqscope_event events[AT_ONCE];
	size_t copied = 0;
	size_t count;

	if (length < sizeof(*events))
		return -EINVAL;
	while (copied + sizeof(*events) <= length) {
		count = min_t(size_t, AT_ONCE, (length - copied) / sizeof(*events));
		count = irqscope_events_take(&scope->interference, events, count);
		if (!count)
			break;
		if (copy_to_user(to + copied, events, count * sizeof(*events)))
			return -EFAULT;
		copied += count * sizeof(*events);
	}
	return copied;
}

static int irqscope_events_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = irqscope_opener_get();

	if (!scope)
		return -ENODEV;
	if (test_and_set_bit(0, &scope->interference.opened))
		return -EBUSY;
	file->private_data = scope;
	return stream_open(inode, file);
}

static int irqscope_events_release(struct inode *inode, struct file *file)
{
	struct irqscope *scope = file->private_data;

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
