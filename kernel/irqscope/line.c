// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Response lines: the registered port, and which stage has which bit.
 *
 * Line `record` has no wires. On a port the asked stages take the data bits in
 * the order of enum irqscope_stage: the first asked one has bit 0.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>

#include "hot.h"

#define LINE_RECORD	0
#define LINE_PORT	1
#define PORT_BITS	8

const char *const irqscope_line_names[] = {
	[LINE_RECORD] = "record",
	[LINE_PORT] = "parport",
	NULL
};

static DEFINE_MUTEX(irqscope_port_lock);
static struct irqscope_port *irqscope_port;

/**
 * irqscope_port_register() - offer a port to the driver
 * @port: the port, which stays valid until it is unregistered
 *
 * Return: 0, -EINVAL for a port without a name that settings/line knows,
 * -EBUSY if there is one already
 */
int irqscope_port_register(struct irqscope_port *port)
{
	int err = 0;

	if (strcmp(port->name, irqscope_line_names[LINE_PORT]))
		return -EINVAL;
	mutex_lock(&irqscope_port_lock);
	if (irqscope_port)
		err = -EBUSY;
	else
		irqscope_port = port;
	mutex_unlock(&irqscope_port_lock);
	return err;
}
EXPORT_SYMBOL_GPL(irqscope_port_register);

/**
 * irqscope_port_unregister() - take a port back
 * @port: the port; no run uses it, since a run pins its module
 */
void irqscope_port_unregister(struct irqscope_port *port)
{
	mutex_lock(&irqscope_port_lock);
	if (irqscope_port == port)
		irqscope_port = NULL;
	mutex_unlock(&irqscope_port_lock);
}
EXPORT_SYMBOL_GPL(irqscope_port_unregister);

static struct irqscope_port *irqscope_port_get(void)
{
	struct irqscope_port *port;

	mutex_lock(&irqscope_port_lock);
	port = irqscope_port;
	if (port && !try_module_get(port->owner))
		port = NULL;
	mutex_unlock(&irqscope_port_lock);
	return port;
}

/**
 * irqscope_line_available() - can a run use this line?
 * @line: index into irqscope_line_names
 *
 * Return: true if so
 */
bool irqscope_line_available(u32 line)
{
	return line == LINE_RECORD || READ_ONCE(irqscope_port);
}

/**
 * irqscope_line_claim() - take the port for a run
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_line_claim(struct irqscope *scope)
{
	struct irqscope_port *port;
	int err;

	if (scope->settings.line == LINE_RECORD)
		return 0;
	if (hweight32(scope->settings.stages) > PORT_BITS) {
		pr_err("line parport has %d bits: ask for at most as many stages\n", PORT_BITS);
		return -EINVAL;
	}
	port = irqscope_port_get();
	if (!port) {
		pr_err("line parport has no port: load irqscope_parport\n");
		return -ENODEV;
	}
	err = port->claim(port);
	if (err) {
		module_put(port->owner);
		return err;
	}
	scope->line.port = port;
	return 0;
}

/**
 * irqscope_line_arm() - from here on stages make edges; all wires are low
 * @scope: the scope
 */
void irqscope_line_arm(struct irqscope *scope)
{
	struct irqscope_line *line = &scope->line;
	unsigned long asked = scope->settings.stages;
	unsigned int index;
	u32 bit = 1;

	if (!line->port)
		return;
	line->io_base = line->port->io_base;
	atomic_set(&line->data, 0);
	irqscope_drive(line, 0);
	for_each_set_bit(index, &asked, IRQSCOPE_STAGES) {
		scope->stages[index].line_bit = bit;
		bit <<= 1;
	}
}

/**
 * irqscope_line_disarm() - no more edges
 * @scope: the scope, of which no stage is running any more
 */
void irqscope_line_disarm(struct irqscope *scope)
{
	unsigned int index;

	for (index = 0; index < IRQSCOPE_STAGES; index++)
		WRITE_ONCE(scope->stages[index].line_bit, 0);
}

/**
 * irqscope_line_release() - give the port back
 * @scope: the scope
 */
void irqscope_line_release(struct irqscope *scope)
{
	struct irqscope_port *port = scope->line.port;

	if (!port)
		return;
	scope->line.port = NULL;
	scope->line.io_base = 0;
	port->release(port);
	module_put(port->owner);
}
