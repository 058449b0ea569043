// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope_parport - a PC's parallel port, on kernels that have no parport.
 *
 * Lines and trigger are as in parport.c: the registers are the same, and the
 * driver writes them itself there, too. The address and the interrupt of an ISA
 * port cannot be found out; parameter io says where it is.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/module.h>

#include "port.h"

#define PC_STATUS	1	/* offset of the register from the data byte */
#define PC_REGISTERS	3
#define LINES		12

static unsigned short io = 0x378;
module_param(io, ushort, 0444);
MODULE_PARM_DESC(io, "address of the port's data byte (0x378)");

static int irqscope_port_io_claim(struct irqscope_port *port)
{
	if (!request_region(io, PC_REGISTERS, "irqscope")) {
		pr_err("the registers at 0x%x are another driver's\n", io);
		return -EBUSY;
	}
	/* A port keeps what was written; where there is none, all bits are ones. */
	outb(0x55, io);
	if (inb(io) != 0x55) {
		pr_err("there is no parallel port at 0x%x: load irqscope_parport with io=\n", io);
		release_region(io, PC_REGISTERS);
		return -ENODEV;
	}
	outb(0, io);
	port->io_base = io;
	return 0;
}

static void irqscope_port_io_release(struct irqscope_port *port)
{
	release_region(io, PC_REGISTERS);
}

/* All lines low, and the switch; bit 5 stays 0: the data byte is driven, not read. */
static void irqscope_port_io_switch(u8 enable)
{
	outb(enable, io + IRQSCOPE_PC_CONTROL);
	inb(io + PC_STATUS); /* drops an interrupt that the port has latched */
}

static void irqscope_port_io_enable_irq(struct irqscope_port *port)
{
	irqscope_port_io_switch(IRQSCOPE_PC_INTERRUPT);
}

static void irqscope_port_io_disable_irq(struct irqscope_port *port)
{
	irqscope_port_io_switch(0);
}

static struct irqscope_port irqscope_port_io = {
	.name = "parport",
	.owner = THIS_MODULE,
	.lines = LINES,
	.claim = irqscope_port_io_claim,
	.release = irqscope_port_io_release,
	.enable_irq = irqscope_port_io_enable_irq,
	.disable_irq = irqscope_port_io_disable_irq,
};

static int __init irqscope_port_io_init(void)
{
	return irqscope_port_register(&irqscope_port_io);
}

static void __exit irqscope_port_io_exit(void)
{
	irqscope_port_unregister(&irqscope_port_io);
}

module_init(irqscope_port_io_init);
module_exit(irqscope_port_io_exit);

MODULE_DESCRIPTION("Parallel port for irqscope, without parport");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
