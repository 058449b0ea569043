// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device /dev/irqscope-events: the log of events, by read().
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "internal.h"

/* The events from @from on that lie together in memory, at most @count. */
static size_t irqscope_events_run(const struct irqscope_interference *log, u64 from, size_t count)
{
	u64 index = from & (log->size - 1);

	return min_t(u64, count, log->size - index);
}

static ssize_t irqscope_events_copy(struct irqscope_interference *log, char __user *to,
				    size_t count)
{
	/* Pairs with the release when a window is closed. */
	u64 published = smp_load_acquire(&log->published);
	size_t copied = 0;

	count = min_t(u64, count, published - log->released);
	while (copied < count) {
		u64 from = log->released;
		size_t run = irqscope_events_run(log, from, count - copied);

		if (copy_to_user(to + copied * sizeof(*log->slots),
				 &log->slots[from & (log->size - 1)], run * sizeof(*log->slots)))
			return -EFAULT;
		copied += run;
		WRITE_ONCE(log->released, from + run);
	}
	return copied * sizeof(*log->slots);
}

static ssize_t irqscope_events_read(struct file *file, char __user *to, size_t length,
				    loff_t *position)
{
	struct irqscope *scope = file->private_data;
	struct irqscope_interference *log = &scope->interference;
	ssize_t result;

	if (length < sizeof(*log->slots))
		return -EINVAL;
	if (mutex_lock_interruptible(&log->reader))
		return -EINTR;
	result = irqscope_events_copy(log, to, length / sizeof(*log->slots));
	mutex_unlock(&log->reader);
	return result;
}

static int irqscope_events_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = &irqscope;

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
