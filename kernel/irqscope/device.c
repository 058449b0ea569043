// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The device /dev/irqscope: mapping, poll, release, and the end of a run when
 * its reader goes away.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "internal.h"

static void irqscope_vma_open(struct vm_area_struct *vma)
{
	struct irqscope *scope = vma->vm_private_data;

	atomic_inc(&scope->buffer.mappings);
}

static void irqscope_vma_close(struct vm_area_struct *vma)
{
	struct irqscope *scope = vma->vm_private_data;

	atomic_dec(&scope->buffer.mappings);
}

static const struct vm_operations_struct irqscope_vm_ops = {
	.open = irqscope_vma_open,
	.close = irqscope_vma_close,
};

static int irqscope_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct irqscope *scope = file->private_data;
	int err;

	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	irqscope_vm_forbid_write(vma);
	mutex_lock(&scope->control);
	err = irqscope_ring_prepare(scope);
	if (!err)
		err = remap_vmalloc_range(vma, scope->buffer.header, vma->vm_pgoff);
	if (!err) {
		vma->vm_private_data = scope;
		vma->vm_ops = &irqscope_vm_ops;
		irqscope_vma_open(vma);
	}
	mutex_unlock(&scope->control);
	return err;
}

static __poll_t irqscope_poll_mask(struct irqscope *scope)
{
	bool ready = !READ_ONCE(scope->active) || irqscope_ring_is_due(scope);

	return ready ? EPOLLIN | EPOLLRDNORM : 0;
}

static __poll_t irqscope_poll(struct file *file, poll_table *table)
{
	struct irqscope *scope = file->private_data;
	__poll_t mask;

	poll_wait(file, &scope->wait, table);
	WRITE_ONCE(scope->wake_wanted, true);
	smp_mb(); /* irqscope_publish() counts, then looks at wake_wanted */
	mask = irqscope_poll_mask(scope);
	if (mask)
		WRITE_ONCE(scope->wake_wanted, false);
	return mask;
}

static long irqscope_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct irqscope *scope = file->private_data;
	u64 below;

	if (command != IRQSCOPE_RELEASE)
		return -ENOTTY;
	if (copy_from_user(&below, (void __user *)argument, sizeof(below)))
		return -EFAULT;
	return irqscope_ring_release(scope, below);
}

static int irqscope_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = irqscope_opener_get();

	if (!scope)
		return -ENODEV;
	if (test_and_set_bit(0, &scope->opened))
		return -EBUSY;
	file->private_data = scope;
	return nonseekable_open(inode, file);
}

static int irqscope_release(struct inode *inode, struct file *file)
{
	struct irqscope *scope = file->private_data;

	irqscope_run_stop(scope, IRQSCOPE_STOPPED, 0);
	clear_bit_unlock(0, &scope->opened);
	return 0;
}

static const struct file_operations irqscope_fops = {
	.owner = THIS_MODULE,
	.open = irqscope_open,
	.release = irqscope_release,
	.mmap = irqscope_mmap,
	.poll = irqscope_poll,
	.unlocked_ioctl = irqscope_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice irqscope_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqscope",
	.fops = &irqscope_fops,
	.groups = irqscope_groups,
};

/* Not IRQ_WORK_HARD: on RT this runs in a thread and may take a wait queue. */
static void irqscope_wake(struct irq_work *work)
{
	struct irqscope *scope = container_of(work, struct irqscope, wake);

	wake_up_interruptible(&scope->wait);
}

/**
 * irqscope_device_init() - make what wakes the reader
 * @scope: the scope
 */
void irqscope_device_init(struct irqscope *scope)
{
	init_waitqueue_head(&scope->wait);
	init_irq_work(&scope->wake, irqscope_wake);
}

/**
 * irqscope_device_exit() - no wake-up is under way any more
 * @scope: the scope, not active
 */
void irqscope_device_exit(struct irqscope *scope)
{
	irq_work_sync(&scope->wake);
}

/**
 * irqscope_device_register() - make /dev/irqscope and its attributes
 *
 * Return: 0 or a negative errno
 */
int irqscope_device_register(void)
{
	return misc_register(&irqscope_device);
}

/**
 * irqscope_device_unregister() - remove /dev/irqscope and its attributes
 */
void irqscope_device_unregister(void)
{
	misc_deregister(&irqscope_device);
}
