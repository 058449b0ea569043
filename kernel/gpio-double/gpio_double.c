// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpio_double - GPIO controllers that are not there, to test irqscope_gpio with.
 *
 * "double-fast" is one whose registers irqscope does not know, "double-slow" one
 * that can sleep, as those behind I2C do. Neither has interrupts.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gpio/driver.h>
#include <linux/module.h>

#define LINES	8

static int gpio_double_input(struct gpio_chip *chip, unsigned int line)
{
	return 0;
}

static int gpio_double_output(struct gpio_chip *chip, unsigned int line, int value)
{
	return 0;
}

static int gpio_double_get(struct gpio_chip *chip, unsigned int line)
{
	return 0;
}

static void gpio_double_set(struct gpio_chip *chip, unsigned int line, int value)
{
}

static struct gpio_chip gpio_double_fast = {
	.label = "double-fast",
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = LINES,
	.direction_input = gpio_double_input,
	.direction_output = gpio_double_output,
	.get = gpio_double_get,
	.set = gpio_double_set,
};

static struct gpio_chip gpio_double_slow = {
	.label = "double-slow",
	.owner = THIS_MODULE,
	.base = -1,
	.ngpio = LINES,
	.can_sleep = true,
	.direction_input = gpio_double_input,
	.direction_output = gpio_double_output,
	.get = gpio_double_get,
	.set = gpio_double_set,
};

static int __init gpio_double_init(void)
{
	int err = gpiochip_add_data(&gpio_double_fast, NULL);

	if (err)
		return err;
	err = gpiochip_add_data(&gpio_double_slow, NULL);
	if (err)
		gpiochip_remove(&gpio_double_fast);
	return err;
}

static void __exit gpio_double_exit(void)
{
	gpiochip_remove(&gpio_double_slow);
	gpiochip_remove(&gpio_double_fast);
}

module_init(gpio_double_init);
module_exit(gpio_double_exit);

MODULE_DESCRIPTION("GPIO controllers for irqscope's tests");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
