/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations that the files of irqscope_gpio.ko share.
 *
 *	gpio.c		the device, its lines, the port
 *	gpio_lookup.c	lines that are named when the module is loaded
 *	gpio_chip.c	controllers whose registers are known; what a line costs
 */
#ifndef IRQSCOPE_GPIO_H
#define IRQSCOPE_GPIO_H

#include <linux/gpio/consumer.h>
#include <linux/gpio/driver.h>
#include <linux/types.h>

#include "port.h"

#define IRQSCOPE_GPIO_NAME	"irqscope-gpio"	/* of driver and device */
#define IRQSCOPE_GPIO_LINES	8
#define IRQSCOPE_GPIO_TRIGGER	"trigger"	/* of the properties, without -gpios */
#define IRQSCOPE_GPIO_RESPONSE	"response"

struct device;

/* A line's controller; newer kernels mean to hide it behind its device. */
static inline struct gpio_chip *irqscope_gpio_controller(struct gpio_desc *line)
{
#ifdef IRQSCOPE_HAVE_GPIO_DEVICE
	return gpio_device_get_chip(gpiod_to_gpio_device(line));
#else
	return gpiod_to_chip(line);
#endif
}

/* The interrupts through which a controller's come; none where gpiolib knows of none. */
static inline unsigned int irqscope_gpio_parents(const struct gpio_chip *controller,
						 const unsigned int **parents)
{
#ifdef CONFIG_GPIOLIB_IRQCHIP
	*parents = controller->irq.parents;
	return controller->irq.num_parents;
#else
	*parents = NULL;
	return 0;
#endif
}

/* gpio_lookup.c */
int irqscope_gpio_lookup_register(void);
void irqscope_gpio_lookup_unregister(void);

/* gpio_chip.c */
int irqscope_gpio_registers(struct device *device, struct gpio_desc *line,
			    struct irqscope_register *reg);
u64 irqscope_gpio_cost(struct gpio_desc *line, const struct irqscope_register *reg);

#endif /* IRQSCOPE_GPIO_H */
