/* SPDX-License-Identifier: GPL-2.0-or-later WITH Linux-syscall-note */
/*
 * irqscope_doorbell.h - the memory that a target shares with a generator
 * behind an ivshmem doorbell (BAR 2 of the device).
 *
 * The generator writes `magic`, `version` and `lines` before the target's
 * machine has the device, and nothing afterwards. All else is the target's:
 *
 *  armed   1 from when the target wants triggers (all words are 0 by then)
 *          until it wants none and no stage will answer any more. The generator
 *          raises MSI-X vector 0 of the device once per trigger.
 *  words   one response line each, in a cache line of its own. A stage answers
 *          by one store. Its low half is the number of its responses since
 *          the words were zero, modulo 2^32: one that has grown by n is n
 *          edges. Its high half numbers the interrupt that it answers among
 *          those that were handled, from 1, 0 where the stage does not know
 *          (irq).
 *
 * Both ends are on one machine, so numbers are in its own byte order.
 */
#ifndef IRQSCOPE_DOORBELL_H
#define IRQSCOPE_DOORBELL_H

#include <linux/types.h>

#define IRQSCOPE_DOORBELL_MAGIC		0x52454249u	/* "IBER" */
/* Raised whenever a layout or a meaning here changes. */
#define IRQSCOPE_DOORBELL_VERSION	2
/* As many words as the memory has room for. */
#define IRQSCOPE_DOORBELL_LINES		16
#define IRQSCOPE_DOORBELL_STRIDE	64

/**
 * struct irqscope_doorbell_word - one response line
 * @shown: the two halves
 * @unused: the rest of the cache line
 */
struct irqscope_doorbell_word {
	__u64 shown;
	__u64 unused[IRQSCOPE_DOORBELL_STRIDE / 8 - 1];
};

/**
 * struct irqscope_doorbell - BAR 2
 * @magic: IRQSCOPE_DOORBELL_MAGIC; other users of ivshmem have something else
 * @version: IRQSCOPE_DOORBELL_VERSION
 * @lines: how many words the generator watches, from the first
 * @unused: the rest of the cache line
 * @armed: the target wants triggers
 * @unused_armed: the rest of the cache line
 * @words: response lines
 */
struct irqscope_doorbell {
	__u32 magic;
	__u32 version;
	__u32 lines;
	__u32 unused[13];
	__u32 armed;
	__u32 unused_armed[15];
	struct irqscope_doorbell_word words[IRQSCOPE_DOORBELL_LINES];
};

#endif /* IRQSCOPE_DOORBELL_H */
