// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Response lines: the registered ports, and which stage has which line.
 *
 * Line `record` has no wires. On a port the asked stages take the lines in the
 * order of enum irqscope_stage: the first asked one has line 0.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "hot.h"

enum irqscope_line_kind {
	LINE_RECORD, LINE_PARPORT, LINE_IVSHMEM, LINE_MEMORY, LINE_GPIO, LINES
};

const char *const irqscope_line_names[] = {
	[LINE_RECORD] = "record",
	[LINE_PARPORT] = "parport",
	[LINE_IVSHMEM] = "ivshmem",
	[LINE_MEMORY] = "memory",
	[LINE_GPIO] = "gpio",
	[LINES] = NULL
};

static DEFINE_MUTEX(irqscope_port_lock);
static struct irqscope_port *irqscope_ports[LINES];

static int irqscope_line_by_name(const char *name)
{
	int line;

	for (line = LINE_RECORD + 1; line < LINES; line++)
		if (!strcmp(name, irqscope_line_names[line]))
			return line;
	return -EINVAL;
}

/**
 * irqscope_port_register() - offer a port to the driver
 * @port: the port, which stays valid until it is unregistered
 *
 * Return: 0, -EINVAL for a port without a name that settings/line knows,
 * -EBUSY if there is one of that name already
 */
int irqscope_port_register(struct irqscope_port *port)
{
	int line = irqscope_line_by_name(port->name);
	int err = 0;

	if (line < 0)
		return line;
	mutex_lock(&irqscope_port_lock);
	if (irqscope_ports[line])
		err = -EBUSY;
	else
		irqscope_ports[line] = port;
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
	int line = irqscope_line_by_name(port->name);

	mutex_lock(&irqscope_port_lock);
	if (line >= 0 && irqscope_ports[line] == port)
		irqscope_ports[line] = NULL;
	mutex_unlock(&irqscope_port_lock);
}
EXPORT_SYMBOL_GPL(irqscope_port_unregister);

static struct irqscope_port *irqscope_port_get(u32 line)
{
	struct irqscope_port *port;

	mutex_lock(&irqscope_port_lock);
	port = irqscope_ports[line];
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
	bool there;

	mutex_lock(&irqscope_port_lock);
	there = line == LINE_RECORD || irqscope_ports[line];
	mutex_unlock(&irqscope_port_lock);
	return there;
}

/**
 * irqscope_line_injects() - does who watches this line make the triggers?
 * @line: index into irqscope_line_names
 *
 * Return: true if so
 */
bool irqscope_line_injects(u32 line)
{
	const struct irqscope_port *port;
	bool injects;

	mutex_lock(&irqscope_port_lock);
	port = irqscope_ports[line];
	injects = port && port->injects;
	mutex_unlock(&irqscope_port_lock);
	return injects;
}

static int irqscope_line_check(struct irqscope *scope, const struct irqscope_port *port)
{
	if (hweight32(scope->settings.stages) <= port->lines)
		return 0;
	pr_err("line %s has %u lines: ask for at most as many stages\n", port->name, port->lines);
	return -EINVAL;
}

/**
 * irqscope_line_claim() - take the port for a run
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_line_claim(struct irqscope *scope)
{
	u32 line = scope->settings.line;
	struct irqscope_port *port;
	int err;

	if (line == LINE_RECORD)
		return 0;
	port = irqscope_port_get(line);
	if (!port) {
		pr_err("line %s has no port: load irqscope_%s\n", irqscope_line_names[line],
		       irqscope_line_names[line]);
		return -ENODEV;
	}
	err = port->claim(port);
	if (err)
		goto put_port;
	/* Some ports know only now how many lines they have. */
	err = irqscope_line_check(scope, port);
	if (err)
		goto release_port;
	scope->line.port = port;
	return 0;

release_port:
	port->release(port);
put_port:
	module_put(port->owner);
	return err;
}

static u64 *irqscope_line_word(const struct irqscope_port *port, unsigned int line)
{
	return port->words + line * (IRQSCOPE_WORD_STRIDE / sizeof(*port->words));
}

static void irqscope_line_arm_words(struct irqscope *scope)
{
	unsigned long asked = scope->settings.stages;
	unsigned int index, line = 0;

	for_each_set_bit(index, &asked, IRQSCOPE_STAGES) {
		struct irqscope_responder *stage = &scope->stages[index];

		stage->word = irqscope_line_word(scope->line.port, line++);
		WRITE_ONCE(*stage->word, 0);
	}
}

/* A PC's port has two registers; elsewhere each line is driven by itself. */
static void irqscope_line_lower(struct irqscope_line *line)
{
	unsigned int index, step = line->io_base ? 8 : 1;

	for (index = 0; index < line->port->lines; index += step)
		irqscope_drive(line, BIT(index), 0);
}

static void irqscope_line_arm_bits(struct irqscope *scope)
{
	struct irqscope_line *line = &scope->line;
	unsigned long asked = scope->settings.stages;
	unsigned int index;
	u32 bit = 1;

	line->io_base = line->port->io_base;
	line->registers = line->port->registers;
	line->control = 0;
	atomic_set(line->wires, 0);
	irqscope_line_lower(line);
	/* No edge comes before the trigger has let the interrupt through. */
	line->control = scope->settings.trigger == IRQSCOPE_LINE ? IRQSCOPE_PC_INTERRUPT : 0;
	for_each_set_bit(index, &asked, IRQSCOPE_STAGES) {
		scope->stages[index].line_bit = bit;
		bit <<= 1;
	}
}

/**
 * irqscope_line_arm() - from here on stages make edges; all wires are low
 * @scope: the scope
 */
void irqscope_line_arm(struct irqscope *scope)
{
	if (!scope->line.port)
		return;
	if (scope->line.port->words)
		irqscope_line_arm_words(scope);
	else
		irqscope_line_arm_bits(scope);
	irqscope_user_edge_offer(scope);
}

/**
 * irqscope_line_disarm() - no more edges
 * @scope: the scope, of which no stage is pending or running any more
 *
 * A write() to /dev/irqscope-user that still found its stage pending is waited for.
 */
void irqscope_line_disarm(struct irqscope *scope)
{
	unsigned int index;

	if (scope->line.port)
		synchronize_rcu();
	WRITE_ONCE(scope->user.way, IRQSCOPE_EDGE_WRITE); /* the next run may have no line */
	for (index = 0; index < IRQSCOPE_STAGES; index++) {
		WRITE_ONCE(scope->stages[index].line_bit, 0);
		WRITE_ONCE(scope->stages[index].word, NULL);
	}
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
	scope->line.registers = NULL;
	port->release(port);
	module_put(port->owner);
}
