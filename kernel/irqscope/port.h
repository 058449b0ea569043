/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between a provider of real wires and irqscope.ko.
 *
 * A provider (irqscope_parport.ko is the first) owns a port with response
 * lines and one interrupt input. It registers the port; the driver claims it
 * when a run begins and releases it when the run is over. The interrupt itself
 * is requested by the driver, never by the provider: its handler is a stage
 * under test and must stay a hard one on every kernel.
 *
 * There are four kinds of lines. A PC's parallel port is known so well that the
 * driver writes its registers itself; so are some GPIO controllers, where one
 * store to a register makes one line high or low and leaves the others. Response
 * words lie in memory that somebody else watches: a stage answers by one store,
 * whose low half counts its responses and whose high half says which trigger it
 * answers. All else is driven by a call.
 */
#ifndef IRQSCOPE_PORT_H
#define IRQSCOPE_PORT_H

#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/types.h>

/* The registers of a PC's parallel port that are written, from its base. */
#define IRQSCOPE_PC_DATA	0	/* lines 0 to 7 */
#define IRQSCOPE_PC_CONTROL	2	/* lines 8 to 11, and the interrupt's switch */
#define IRQSCOPE_PC_INTERRUPT	0x10

/* From one response word to the next: a cache line, so that none is shared. */
#define IRQSCOPE_WORD_STRIDE	64

/**
 * struct irqscope_register - the stores that drive one line and no other
 * @address: where to store for low and for high
 * @value: what to store there
 */
struct irqscope_register {
	void __iomem *address[2];
	u32 value[2];
};

/**
 * struct irqscope_port - one port with response lines and an interrupt input
 * @name: what is written to settings/line to choose it
 * @owner: the provider's module, pinned while a run uses the port
 * @lines: how many response lines it has; at most 32
 * @io_base: once claimed: base of a PC's parallel port; 0 for any other port
 * @registers: once claimed: one for each line; NULL if a call drives them
 * @words: once claimed: the response words, IRQSCOPE_WORD_STRIDE apart; NULL if
 *	there are none
 * @irq: once claimed: the interrupt that it brings along; 0: settings/irq
 * @injects: the process that watches it makes the triggers, by
 *	IRQSCOPE_INJECT_NOW: it has no interrupt input, but a gate (@enable_irq,
 *	@disable_irq) like the others
 * @gated: the interrupt stays disabled from its request to @enable_irq, so that
 *	nothing can be injected before
 * @set: drives the line of @bit, and others if it likes, as they are in @bits; any
 *	context; used without @io_base, @registers and @words
 * @claim: takes the port for one run; may sleep
 * @release: gives it back; may sleep
 * @move: has the interrupt, which cannot be bound itself, come to these CPUs until
 *	@release; may sleep; NULL if there is no way
 * @enable_irq: lets the interrupt input through to the CPU; lines are low
 * @disable_irq: blocks it again, after the last response; the line is masked at
 *	the controller by then
 */
struct irqscope_port {
	const char *name;
	struct module *owner;
	unsigned int lines;
	unsigned long io_base;
	const struct irqscope_register *registers;
	u64 *words;
	unsigned int irq;
	bool injects;
	bool gated;
	void (*set)(struct irqscope_port *port, u32 bit, u32 bits);
	int (*claim)(struct irqscope_port *port);
	void (*release)(struct irqscope_port *port);
	int (*move)(struct irqscope_port *port, const struct cpumask *cpus);
	void (*enable_irq)(struct irqscope_port *port);
	void (*disable_irq)(struct irqscope_port *port);
};

int irqscope_port_register(struct irqscope_port *port);
void irqscope_port_unregister(struct irqscope_port *port);

#endif /* IRQSCOPE_PORT_H */
