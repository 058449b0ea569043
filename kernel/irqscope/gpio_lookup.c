// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines that are named when the module is loaded, where no device tree does:
 *
 *	insmod irqscope_gpio.ko trigger=9030000.pl061:7 responses=9030000.pl061:0,...
 *
 * A line is LABEL:OFFSET, with ":low" behind it if it is active low. A label is
 * what gpiodetect shows in brackets; it may have colons of its own.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/gpio/machine.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "gpio.h"

static char *trigger;
module_param(trigger, charp, 0);
MODULE_PARM_DESC(trigger, "the interrupt's line: LABEL:OFFSET[:low]");

static char *responses[IRQSCOPE_GPIO_LINES];
static unsigned int responses_given;
module_param_array(responses, charp, &responses_given, 0);
MODULE_PARM_DESC(responses, "response lines: LABEL:OFFSET[:low],... at most 8");

static struct gpiod_lookup_table *irqscope_gpio_table;
static struct platform_device *irqscope_gpio_device;

static bool irqscope_gpio_cut_low(char *text)
{
	size_t length = strlen(text), low = strlen(":low");

	if (length < low || strcmp(text + length - low, ":low"))
		return false;
	text[length - low] = '\0';
	return true;
}

/* The text becomes the label, and stays the table's. */
static int irqscope_gpio_parse(struct gpiod_lookup *entry, char *text, const char *property,
			       unsigned int index)
{
	bool low = irqscope_gpio_cut_low(text);
	char *colon = strrchr(text, ':');

	if (!colon || colon == text || kstrtou16(colon + 1, 10, &entry->chip_hwnum)) {
		pr_err("%s=%s: a line is LABEL:OFFSET or LABEL:OFFSET:low\n", property, text);
		return -EINVAL;
	}
	*colon = '\0';
	entry->key = text;
	entry->con_id = property;
	entry->idx = index;
	entry->flags = low ? GPIO_ACTIVE_LOW : GPIO_ACTIVE_HIGH;
	return 0;
}

static int irqscope_gpio_fill(struct gpiod_lookup_table *table)
{
	unsigned int index;
	int err;

	table->dev_id = IRQSCOPE_GPIO_NAME;
	err = irqscope_gpio_parse(&table->table[0], trigger, IRQSCOPE_GPIO_TRIGGER, 0);
	for (index = 0; !err && index < responses_given; index++)
		err = irqscope_gpio_parse(&table->table[1 + index], responses[index],
					  IRQSCOPE_GPIO_RESPONSE, index);
	return err;
}

static int irqscope_gpio_add_device(void)
{
	struct platform_device *device;

	device = platform_device_register_simple(IRQSCOPE_GPIO_NAME, PLATFORM_DEVID_NONE, NULL, 0);
	if (IS_ERR(device))
		return PTR_ERR(device);
	if (platform_get_drvdata(device)) {
		irqscope_gpio_device = device;
		return 0;
	}
	platform_device_unregister(device);
	pr_err("the lines cannot be used: if nothing above says why, no controller is labelled so (gpiodetect shows the labels)\n");
	return -ENODEV;
}

/**
 * irqscope_gpio_lookup_register() - make a device of the lines that were named
 *
 * The driver is registered already.
 *
 * Return: 0, also if none were; or a negative errno, which was logged
 */
int irqscope_gpio_lookup_register(void)
{
	struct gpiod_lookup_table *table;
	int err;

	if (!trigger && !responses_given)
		return 0;
	if (!trigger || !responses_given) {
		pr_err("name both, trigger=LABEL:OFFSET and responses=LABEL:OFFSET,...\n");
		return -EINVAL;
	}
	table = kzalloc(struct_size(table, table, responses_given + 2), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	err = irqscope_gpio_fill(table);
	if (err)
		goto free_table;
	gpiod_add_lookup_table(table);
	err = irqscope_gpio_add_device();
	if (err)
		goto remove_table;
	irqscope_gpio_table = table;
	return 0;

remove_table:
	gpiod_remove_lookup_table(table);
free_table:
	kfree(table);
	return err;
}

/**
 * irqscope_gpio_lookup_unregister() - take them back
 */
void irqscope_gpio_lookup_unregister(void)
{
	if (!irqscope_gpio_table)
		return;
	platform_device_unregister(irqscope_gpio_device);
	gpiod_remove_lookup_table(irqscope_gpio_table);
	kfree(irqscope_gpio_table);
}
