// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory that is shared with the reader.
 *
 * One page with the header, then the slots; user space maps it read-only, so
 * the driver trusts what it reads back. The slots of samples that the reader
 * has released are cleared here, in the reader's time, so that a trigger finds
 * its slot clean.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "hot.h"

static size_t irqscope_ring_size(u32 slots)
{
	return PAGE_SIZE + PAGE_ALIGN(array_size(slots, sizeof(struct irqscope_sample)));
}

static void irqscope_ring_clear(struct irqscope *scope)
{
	*scope->buffer.header = (struct irqscope_ring){
		.magic = IRQSCOPE_MAGIC,
		.abi = IRQSCOPE_ABI,
		.slots = scope->buffer.slots,
		.sample_size = sizeof(struct irqscope_sample),
		.samples_offset = PAGE_SIZE,
		.tick_fs = scope->tick_fs,
	};
}

/**
 * irqscope_ring_free() - free the ring's memory; pages still mapped stay
 * @scope: the scope, not active
 */
void irqscope_ring_free(struct irqscope *scope)
{
	struct irqscope_buffer *buffer = &scope->buffer;

	mutex_lock(&buffer->reader);
	kvfree(buffer->flights);
	vfree(buffer->header);
	buffer->flights = NULL;
	buffer->samples = NULL;
	buffer->header = NULL;
	buffer->slots = 0;
	mutex_unlock(&buffer->reader);
}

/*
 * The reader's side may look at any time: it sees all of a ring or none. The numbers
 * of the ring before are forgotten, lest slots be released that this one never filled.
 */
static void irqscope_ring_publish(struct irqscope *scope, struct irqscope_ring *header,
				  struct irqscope_flight *flights, u32 slots)
{
	struct irqscope_buffer *buffer = &scope->buffer;

	mutex_lock(&buffer->reader);
	buffer->header = header;
	buffer->samples = (void *)header + PAGE_SIZE;
	buffer->flights = flights;
	buffer->slots = slots;
	buffer->produced = 0;
	buffer->released = 0;
	irqscope_ring_clear(scope);
	mutex_unlock(&buffer->reader);
}

/**
 * irqscope_ring_prepare() - allocate the ring if it is not there yet
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_ring_prepare(struct irqscope *scope)
{
	struct irqscope_buffer *buffer = &scope->buffer;
	u32 slots = scope->settings.slots;
	struct irqscope_flight *flights;
	struct irqscope_ring *header;

	if (buffer->header)
		return 0;
	header = vmalloc_user(irqscope_ring_size(slots));
	flights = kvcalloc(slots, sizeof(*flights), GFP_KERNEL);
	if (!header || !flights) {
		kvfree(flights);
		vfree(header);
		pr_err("no memory for %u slots\n", slots);
		return -ENOMEM;
	}
	irqscope_ring_publish(scope, header, flights, slots);
	return 0;
}

/**
 * irqscope_ring_begin() - empty the ring for a new run
 * @scope: the scope
 */
void irqscope_ring_begin(struct irqscope *scope)
{
	struct irqscope_buffer *buffer = &scope->buffer;

	mutex_lock(&buffer->reader);
	memset(buffer->samples, 0, array_size(buffer->slots, sizeof(*buffer->samples)));
	buffer->produced = 0;
	buffer->released = 0;
	irqscope_ring_clear(scope);
	/* A reader that sees it running sees it empty. */
	smp_store_release(&buffer->header->running, 1);
	mutex_unlock(&buffer->reader);
}

/**
 * irqscope_ring_resize() - have another number of slots from the next use on
 * @scope: the scope, not active
 * @slots: how many
 *
 * Return: 0, or -EBUSY while the ring is mapped
 */
int irqscope_ring_resize(struct irqscope *scope, u32 slots)
{
	if (slots == scope->buffer.slots)
		return 0;
	if (atomic_read(&scope->buffer.mappings))
		return -EBUSY;
	irqscope_ring_free(scope);
	return 0;
}

/**
 * irqscope_ring_is_due() - is it time for the reader to take samples?
 * @scope: the scope
 *
 * Process context: the ring may be freed and made anew with another number of slots
 * at any time but under the reader's lock.
 *
 * Return: true if a quarter of the slots waits for it
 */
bool irqscope_ring_is_due(struct irqscope *scope)
{
	struct irqscope_buffer *buffer = &scope->buffer;
	bool due;

	mutex_lock(&buffer->reader);
	due = !buffer->header ||
	      READ_ONCE(buffer->header->published) - buffer->released >= buffer->slots / 4;
	mutex_unlock(&buffer->reader);
	return due;
}

static int irqscope_ring_release_locked(struct irqscope *scope, u64 below)
{
	struct irqscope_buffer *buffer = &scope->buffer;
	struct irqscope_sample *sample;

	if (!buffer->header || below < buffer->released ||
	    below > READ_ONCE(buffer->produced))
		return -EINVAL;
	while (buffer->released < below) {
		sample = irqscope_sample(scope, buffer->released + 1);
		/* Pairs with the release in irqscope_publish(). */
		if (smp_load_acquire(&sample->state) != IRQSCOPE_SAMPLE_DONE)
			return -EINVAL;
		memset(sample->responses, 0, sizeof(sample->responses));
		/* Pairs with the acquire in irqscope_sample_open(). */
		smp_store_release(&sample->state, IRQSCOPE_SAMPLE_FREE);
		WRITE_ONCE(buffer->released, buffer->released + 1);
	}
	return 0;
}

/**
 * irqscope_ring_release() - the reader hands back all samples below a number
 * @scope: the scope
 * @below: the first sample that the reader has not done with
 *
 * Return: 0, or -EINVAL if it goes back, or to a sample that is not published
 */
int irqscope_ring_release(struct irqscope *scope, u64 below)
{
	int err;

	mutex_lock(&scope->buffer.reader);
	err = irqscope_ring_release_locked(scope, below);
	mutex_unlock(&scope->buffer.reader);
	return err;
}

/**
 * irqscope_ring_init() - make what the ring needs before it has memory
 * @scope: the scope
 */
void irqscope_ring_init(struct irqscope *scope)
{
	mutex_init(&scope->buffer.reader);
}
