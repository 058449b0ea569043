// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gpio_double - GPIO controllers that are not there, to test irqscope_gpio with.
 *
 * "double-fast" is one whose registers irqscope does not know, "double-slow" one
 * that can sleep, as those behind I2C do. Neither has interrupts. "double-edge" has
 * one for all its lines, which comes with each tick on the CPU that it is bound to.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/gpio/driver.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

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

/* A controller with all that the three share; its own members follow. */
#define GPIO_DOUBLE(_label, ...) {			\
	.label = _label,				\
	.owner = THIS_MODULE,				\
	.base = -1,					\
	.ngpio = LINES,					\
	.direction_input = gpio_double_input,		\
	.direction_output = gpio_double_output,		\
	.get = gpio_double_get,				\
	.set = gpio_double_set,				\
	__VA_ARGS__					\
}

static struct gpio_chip gpio_double_fast = GPIO_DOUBLE("double-fast");
static struct gpio_chip gpio_double_slow = GPIO_DOUBLE("double-slow", .can_sleep = true);

static int gpio_double_irq = -1;

static int gpio_double_to_irq(struct gpio_chip *chip, unsigned int line)
{
	return gpio_double_irq;
}

static struct gpio_chip gpio_double_edge = GPIO_DOUBLE("double-edge", .to_irq = gpio_double_to_irq);

static void gpio_double_nothing(struct irq_data *data)
{
}

static int gpio_double_type(struct irq_data *data, unsigned int type)
{
	return 0;
}

static int gpio_double_affinity(struct irq_data *data, const struct cpumask *cpus, bool force)
{
	unsigned int cpu = cpumask_first_and(cpus, cpu_online_mask);

	if (cpu >= nr_cpu_ids)
		return -EINVAL;
	irq_data_update_effective_affinity(data, cpumask_of(cpu));
	return IRQ_SET_MASK_OK;
}

static struct irq_chip gpio_double_chip = {
	.name = "double-edge",
	.irq_ack = gpio_double_nothing,
	.irq_mask = gpio_double_nothing,
	.irq_unmask = gpio_double_nothing,
	.irq_set_type = gpio_double_type,
	.irq_set_affinity = gpio_double_affinity,
};

static void gpio_double_fire(struct irq_work *work)
{
	generic_handle_irq(gpio_double_irq);
}

static struct irq_work gpio_double_firing = IRQ_WORK_INIT_HARD(gpio_double_fire);

static void gpio_double_fire_here(void *nothing)
{
	irq_work_queue(&gpio_double_firing);
}

static void gpio_double_tick(struct work_struct *work)
{
	const struct cpumask *cpus = irq_get_effective_affinity_mask(gpio_double_irq);
	unsigned int cpu = cpus ? cpumask_first_and(cpus, cpu_online_mask) : nr_cpu_ids;

	/* One that has just gone refuses. */
	if (cpu < nr_cpu_ids)
		smp_call_function_single(cpu, gpio_double_fire_here, NULL, 1);
	schedule_delayed_work(to_delayed_work(work), 1);
}

static DECLARE_DELAYED_WORK(gpio_double_ticking, gpio_double_tick);

static struct gpio_chip *const gpio_doubles[] = {
	&gpio_double_fast, &gpio_double_slow, &gpio_double_edge
};

static void gpio_double_remove(unsigned int count)
{
	while (count--)
		gpiochip_remove(gpio_doubles[count]);
	irq_free_desc(gpio_double_irq);
}

static int __init gpio_double_init(void)
{
	unsigned int index;
	int err;

	gpio_double_irq = irq_alloc_desc(NUMA_NO_NODE);
	if (gpio_double_irq < 0)
		return gpio_double_irq;
	irq_set_chip_and_handler(gpio_double_irq, &gpio_double_chip, handle_edge_irq);
	for (index = 0; index < ARRAY_SIZE(gpio_doubles); index++) {
		err = gpiochip_add_data(gpio_doubles[index], NULL);
		if (err) {
			gpio_double_remove(index);
			return err;
		}
	}
	schedule_delayed_work(&gpio_double_ticking, 1);
	return 0;
}

static void __exit gpio_double_exit(void)
{
	cancel_delayed_work_sync(&gpio_double_ticking);
	irq_work_sync(&gpio_double_firing);
	gpio_double_remove(ARRAY_SIZE(gpio_doubles));
}

module_init(gpio_double_init);
module_exit(gpio_double_exit);

MODULE_DESCRIPTION("GPIO controllers for irqscope's tests");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
