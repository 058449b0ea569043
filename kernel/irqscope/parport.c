// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope_parport - a PC's parallel port as response lines and trigger.
 *
 * A module of its own, so that irqscope.ko itself loads without
 * parport. Pin 10 (ACK) is the interrupt input; pins 2 to 9, the data byte, are
 * lines 0 to 7; pins 1, 14, 16 and 17 (strobe, autofeed, init, select) are
 * lines 8 to 11. The connector shows three of these four inverted, which makes
 * no difference to an observer of edges.
 *
 * The port must not have requested its interrupt (parport_pc irq=none): its
 * handler would be a thread on RT, and the handler is what is measured.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/io.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/parport.h>

#include "compat.h"
#include "port.h"

#define PC_STATUS	1	/* offset of the register from the data byte */
#define LINES		12

static DEFINE_MUTEX(irqscope_parport_lock);
static struct parport *irqscope_parport; /* the first one; referenced */
static struct pardevice *irqscope_pardevice; /* while claimed */

static void irqscope_parport_set(struct irqscope_port *port, u32 bit, u32 bits)
{
	struct parport *parport = irqscope_pardevice->port;

	parport->ops->write_data(parport, bits);
	parport->ops->write_control(parport, bits >> 8);
}

static struct pardevice *irqscope_parport_open(struct parport *parport)
{
	static const struct pardev_cb callbacks = { .flags = PARPORT_FLAG_EXCL };
	struct pardevice *device;

	device = parport_register_dev_model(parport, "irqscope", &callbacks, 0);
	if (!device) {
		pr_err("%s is used by another driver: unload it (lp, ppdev, plip)\n",
		       parport->name);
		return NULL;
	}
	if (parport_claim(device)) {
		pr_err("%s is claimed by another driver: unload it (lp, ppdev, plip)\n",
		       parport->name);
		parport_unregister_device(device);
		return NULL;
	}
	return device;
}

static int irqscope_parport_claim_locked(struct irqscope_port *port)
{
	struct parport *parport = irqscope_parport;

	if (!parport) {
		pr_err("there is no parallel port: load parport_pc with io=0x378 irq=none\n");
		return -ENODEV;
	}
	if (parport->irq != PARPORT_IRQ_NONE) {
		pr_err("%s holds irq %d: load parport_pc again with io=0x%lx irq=none\n",
		       parport->name, parport->irq, parport->base);
		return -EBUSY;
	}
	irqscope_pardevice = irqscope_parport_open(parport);
	if (!irqscope_pardevice)
		return -EBUSY;
	/* Only of a PC's port it is known that base is the data byte. */
	port->io_base = parport->modes & PARPORT_MODE_PCSPP ? parport->base : 0;
	return 0;
}

static int irqscope_parport_claim(struct irqscope_port *port)
{
	int err;

	mutex_lock(&irqscope_parport_lock);
	err = irqscope_parport_claim_locked(port);
	mutex_unlock(&irqscope_parport_lock);
	return err;
}

static void irqscope_parport_release(struct irqscope_port *port)
{
	struct parport *parport = irqscope_pardevice->port;

	/* The driver may have written the register itself; parport knows better. */
	parport->ops->write_control(parport, parport->ops->read_control(parport));
	parport_release(irqscope_pardevice);
	parport_unregister_device(irqscope_pardevice);
	irqscope_pardevice = NULL;
}

/*
 * parport_pc switches the interrupt of a port only if it has requested it,
 * which is what it must not have done. So the control register of a PC's port
 * is written here: all lines low, and the switch. Bit 5 stays 0: the data byte
 * is driven, not read.
 */
static void irqscope_parport_switch(struct irqscope_port *port, u8 enable)
{
	outb(enable, port->io_base + IRQSCOPE_PC_CONTROL);
	inb(port->io_base + PC_STATUS); /* drops an interrupt that the port has latched */
}

static void irqscope_parport_enable_irq(struct irqscope_port *port)
{
	struct parport *parport = irqscope_pardevice->port;

	if (port->io_base)
		irqscope_parport_switch(port, IRQSCOPE_PC_INTERRUPT);
	else
		parport->ops->enable_irq(parport);
}

static void irqscope_parport_disable_irq(struct irqscope_port *port)
{
	struct parport *parport = irqscope_pardevice->port;

	if (port->io_base)
		irqscope_parport_switch(port, 0);
	else
		parport->ops->disable_irq(parport);
}

static struct irqscope_port irqscope_parport_port = {
	.name = "parport",
	.owner = THIS_MODULE,
	.lines = LINES,
	.set = irqscope_parport_set,
	.claim = irqscope_parport_claim,
	.release = irqscope_parport_release,
	.enable_irq = irqscope_parport_enable_irq,
	.disable_irq = irqscope_parport_disable_irq,
};

static void irqscope_parport_match(struct parport *parport)
{
	mutex_lock(&irqscope_parport_lock);
	if (!irqscope_parport)
		irqscope_parport = parport_get_port(parport);
	mutex_unlock(&irqscope_parport_lock);
}

static void irqscope_parport_detach(struct parport *parport)
{
	mutex_lock(&irqscope_parport_lock);
	if (irqscope_parport == parport) {
		parport_put_port(parport);
		irqscope_parport = NULL;
	}
	mutex_unlock(&irqscope_parport_lock);
}

static struct parport_driver irqscope_parport_driver = {
	.name = "irqscope_parport",
	.match_port = irqscope_parport_match,
	.detach = irqscope_parport_detach,
	IRQSCOPE_PARPORT_DEVMODEL
};

static int __init irqscope_parport_init(void)
{
	int err = parport_register_driver(&irqscope_parport_driver);

	if (err)
		return err;
	err = irqscope_port_register(&irqscope_parport_port);
	if (err)
		parport_unregister_driver(&irqscope_parport_driver);
	return err;
}

static void __exit irqscope_parport_exit(void)
{
	irqscope_port_unregister(&irqscope_parport_port);
	parport_unregister_driver(&irqscope_parport_driver);
}

module_init(irqscope_parport_init);
module_exit(irqscope_parport_exit);

MODULE_DESCRIPTION("Parallel port for irqscope");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
