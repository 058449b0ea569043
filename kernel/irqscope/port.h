/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a provider of real wires tells irqscope.ko.
 *
 * A provider (irqscope_parport.ko is the first) owns a port with up to eight
 * output bits and one interrupt input. It registers the port; the driver
 * claims it when a run begins and releases it when the run is over. The
 * interrupt itself is requested by the driver, never by the provider: its
 * handler is a stage under test and must stay a hard one on every kernel.
 */
#ifndef IRQSCOPE_PORT_H
#define IRQSCOPE_PORT_H

#include <linux/module.h>
#include <linux/types.h>

/**
 * struct irqscope_port - one port with response lines and an interrupt input
 * @name: what is written to settings/line to choose it
 * @owner: the provider's module, pinned while a run uses the port
 * @io_base: I/O port of the data byte once claimed; 0 if there is none
 * @set: drives all data bits, any context; used when @io_base is 0
 * @claim: takes the port for one run; may sleep
 * @release: gives it back; may sleep
 * @enable_irq: lets the interrupt input through to the CPU
 * @disable_irq: blocks it again; the line is masked at the controller by then
 */
struct irqscope_port {
	const char *name;
	struct module *owner;
	unsigned long io_base;
	void (*set)(struct irqscope_port *port, u8 bits);
	int (*claim)(struct irqscope_port *port);
	void (*release)(struct irqscope_port *port);
	void (*enable_irq)(struct irqscope_port *port);
	void (*disable_irq)(struct irqscope_port *port);
};

int irqscope_port_register(struct irqscope_port *port);
void irqscope_port_unregister(struct irqscope_port *port);

#endif /* IRQSCOPE_PORT_H */
