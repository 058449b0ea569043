// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Line `memory` and the device /dev/irqscope-memory.
 *
 * One page that the stages of the CPU under test write and a generator on a spare
 * CPU of the same machine watches, and the call by which that generator injects.
 * The page lives as long as the module. Each run, and the generator, may come and
 * go; a run without a generator does not begin, and one that loses it fails.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "internal.h"

static_assert(sizeof(struct irqscope_word) == IRQSCOPE_WORD_STRIDE);
static_assert(sizeof(struct irqscope_memory) <= PAGE_SIZE);
static_assert(IRQSCOPE_STAGES <= IRQSCOPE_WORDS);

static struct irqscope_memory *irqscope_memory;
static unsigned long irqscope_memory_opened; /* bit 0: by a generator */
static bool irqscope_memory_has_generator; /* that does not leave; under control */

static int irqscope_memory_claim(struct irqscope_port *port)
{
	port->words = &irqscope_memory->words[0].shown;
	return 0;
}

static void irqscope_memory_release_port(struct irqscope_port *port)
{
	port->words = NULL;
}

static void irqscope_memory_enable(struct irqscope_port *port)
{
	/* Pairs with the generator's acquire: it sees all words at 0 then. */
	smp_store_release(&irqscope_memory->armed, 1);
}

static void irqscope_memory_disable(struct irqscope_port *port)
{
	/* After that, the words that it sees are all that there were. */
	smp_store_release(&irqscope_memory->armed, 0);
}

/* No owner: a run must not pin the module that it is ended by. */
static struct irqscope_port irqscope_memory_port = {
	.name = "memory",
	.lines = IRQSCOPE_WORDS,
	.injects = true,
	.claim = irqscope_memory_claim,
	.release = irqscope_memory_release_port,
	.enable_irq = irqscope_memory_enable,
	.disable_irq = irqscope_memory_disable,
};

/**
 * irqscope_memory_watched() - is there a generator?
 *
 * Under control, so that a run cannot begin while its generator leaves.
 *
 * Return: true if so
 */
bool irqscope_memory_watched(void)
{
	return irqscope_memory_has_generator;
}

/**
 * irqscope_memory_is() - is this the port of line `memory`?
 * @port: a port, or NULL
 *
 * Return: true if so
 */
bool irqscope_memory_is(const struct irqscope_port *port)
{
	return port == &irqscope_memory_port;
}

/**
 * irqscope_memory_word() - where in its page a response word lies
 * @word: the word; any other pointer gives 0
 *
 * Return: the offset in bytes
 */
u32 irqscope_memory_word(const u64 *word)
{
	size_t offset = (uintptr_t)word - (uintptr_t)irqscope_memory;

	return offset < PAGE_SIZE ? offset : 0;
}

/**
 * irqscope_memory_map() - map the page for the user stage, which writes its word
 * @vma: one page
 *
 * Return: 0 or a negative errno
 */
int irqscope_memory_map(struct vm_area_struct *vma)
{
	return remap_vmalloc_range(vma, irqscope_memory, 0);
}

static int irqscope_memory_mmap(struct file *file, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	irqscope_vm_forbid_write(vma);
	return remap_vmalloc_range(vma, irqscope_memory, vma->vm_pgoff);
}

static long irqscope_memory_ioctl(struct file *file, unsigned int command,
				  unsigned long argument)
{
	struct irqscope_injection injection = {};
	int err;

	if (command != IRQSCOPE_INJECT_NOW)
		return -ENOTTY;
	err = irqscope_inject_now(file->private_data, &injection);
	if (err)
		return err;
	return copy_to_user((void __user *)argument, &injection, sizeof(injection)) ? -EFAULT : 0;
}

static void irqscope_memory_set_generator(struct irqscope *scope, bool there)
{
	mutex_lock(&scope->control);
	irqscope_memory_has_generator = there;
	mutex_unlock(&scope->control);
}

static int irqscope_memory_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = irqscope_opener_get();

	if (!scope)
		return -ENODEV;
	if (test_and_set_bit(0, &irqscope_memory_opened))
		return -EBUSY;
	irqscope_memory_set_generator(scope, true);
	file->private_data = scope;
	return nonseekable_open(inode, file);
}

static int irqscope_memory_release(struct inode *inode, struct file *file)
{
	struct irqscope *scope = file->private_data;

	irqscope_memory_set_generator(scope, false);
	if (irqscope_inject_is_asked(scope))
		irqscope_run_stop(scope, IRQSCOPE_GENERATOR_GONE, 0);
	clear_bit_unlock(0, &irqscope_memory_opened);
	return 0;
}

static const struct file_operations irqscope_memory_fops = {
	.owner = THIS_MODULE,
	.open = irqscope_memory_open,
	.release = irqscope_memory_release,
	.mmap = irqscope_memory_mmap,
	.unlocked_ioctl = irqscope_memory_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice irqscope_memory_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqscope-memory",
	.fops = &irqscope_memory_fops,
};

/**
 * irqscope_memory_register() - make the page, the line and the device
 *
 * Return: 0 or a negative errno
 */
int irqscope_memory_register(void)
{
	int err;

	irqscope_memory = vmalloc_user(PAGE_SIZE);
	if (!irqscope_memory)
		return -ENOMEM;
	err = irqscope_port_register(&irqscope_memory_port);
	if (err)
		goto free_memory;
	err = misc_register(&irqscope_memory_device);
	if (err)
		goto unregister_port;
	return 0;

unregister_port:
	irqscope_port_unregister(&irqscope_memory_port);
free_memory:
	vfree(irqscope_memory);
	return err;
}

/**
 * irqscope_memory_unregister() - remove them; no run is active
 */
void irqscope_memory_unregister(void)
{
	misc_deregister(&irqscope_memory_device);
	irqscope_port_unregister(&irqscope_memory_port);
	vfree(irqscope_memory);
}
