// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * GPIO controllers whose registers are known, and what driving a line costs.
 *
 * gpiod_set_value() finds the controller, asks whether the line is an open
 * drain, leaves a trace event and calls the controller's driver, which takes a
 * lock in some. Where a line has a register that leaves the others alone, one
 * store does the same.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/gpio/driver.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/of.h>
#include <linux/of_address.h>

#include "gpio.h"
#include "hot.h"

#define ROUNDS	64

/**
 * struct irqscope_gpio_chip - a controller whose registers are known
 * @compatible: in the device tree
 * @fill: says which stores drive the line with this number on the controller
 */
struct irqscope_gpio_chip {
	const char *compatible;
	void (*fill)(struct irqscope_register *reg, void __iomem *base, unsigned int number);
};

/* The address of the data register is a mask: it says which lines a store reaches. */
static void irqscope_pl061_fill(struct irqscope_register *reg, void __iomem *base,
				unsigned int number)
{
	reg->address[0] = base + (BIT(number) << 2);
	reg->address[1] = reg->address[0];
	reg->value[0] = 0;
	reg->value[1] = BIT(number);
}

static const struct irqscope_gpio_chip irqscope_gpio_chips[] = {
	{ "arm,pl061", irqscope_pl061_fill },
};

static const struct irqscope_gpio_chip *irqscope_gpio_chip(const struct device_node *node)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(irqscope_gpio_chips); index++)
		if (of_device_is_compatible(node, irqscope_gpio_chips[index].compatible))
			return &irqscope_gpio_chips[index];
	return NULL;
}

/**
 * irqscope_gpio_registers() - find the stores that drive a line
 * @device: the device that has the mapping
 * @line: the line, an output
 * @reg: where they go
 *
 * Return: 0, -ENOENT if the controller is not known, or another errno
 */
int irqscope_gpio_registers(struct device *device, struct gpio_desc *line,
			    struct irqscope_register *reg)
{
	struct gpio_chip *controller = irqscope_gpio_controller(line);
	struct device_node *node = controller->parent ? dev_of_node(controller->parent) : NULL;
	const struct irqscope_gpio_chip *chip = irqscope_gpio_chip(node);
	struct resource region;
	void __iomem *base;

	if (!chip || of_address_to_resource(node, 0, &region))
		return -ENOENT;
	/* A second mapping: the controller's own driver holds the region. */
	base = devm_ioremap(device, region.start, resource_size(&region));
	if (!base)
		return -ENOMEM;
	chip->fill(reg, base, desc_to_gpio(line) - controller->base);
	if (gpiod_is_active_low(line)) {
		swap(reg->address[0], reg->address[1]);
		swap(reg->value[0], reg->value[1]);
	}
	return 0;
}

static __always_inline u64 irqscope_gpio_time(struct gpio_desc *line,
					      const struct irqscope_register *reg)
{
	unsigned long flags;
	u64 begin, end;
	int round;

	local_irq_save(flags);
	begin = ktime_get_mono_fast_ns();
	for (round = 0; round < ROUNDS; round++) {
		if (reg)
			irqscope_store(reg, false);
		else
			gpiod_set_value(line, 0);
	}
	end = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	return (end - begin) * 1000 / ROUNDS;
}

/**
 * irqscope_gpio_cost() - measure what it takes to drive a line
 * @line: the line, which is low and stays so
 * @reg: the stores that drive it; NULL: by a call of the kernel
 *
 * Return: picoseconds, the mean of some in a row
 */
u64 irqscope_gpio_cost(struct gpio_desc *line, const struct irqscope_register *reg)
{
	return reg ? irqscope_gpio_time(line, reg) : irqscope_gpio_time(line, NULL);
}
