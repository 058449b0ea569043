// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope_gpio - GPIO lines as response lines and trigger.
 *
 * A module of its own, so that irqscope.ko itself loads without gpiolib. The
 * lines are those of a device "irqscope,gpio-lines" in the device tree, with the
 * properties trigger-gpios (one) and response-gpios (1 to 8), or are named when
 * the module is loaded (gpio_lookup.c). Flags decide the polarity: a trigger that
 * is active low interrupts at its falling edge, and a response line that is
 * active low is high while irqscope calls it low.
 *
 * A line that can sleep is refused: it is behind a bus, its interrupt is a
 * thread, and it cannot be driven from an interrupt.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/gpio/driver.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/math64.h>
#include <linux/mod_devicetable.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "compat.h"
#include "gpio.h"

/**
 * struct irqscope_gpio - the one device
 * @device: the device; NULL if there is none
 * @trigger: the interrupt's line
 * @responses: the response lines
 * @registers: the stores that drive them; used if @direct
 * @direct: the controllers' registers are known
 * @call_ps: what driving a line by a call takes
 * @store_ps: what driving it by its register takes; 0 if that is not known
 * @affinity: of the controller's interrupt, as it was before it was moved
 * @moved: it was moved
 * @claimed: a run uses it
 * @released: where its removal waits for that run's end
 */
struct irqscope_gpio {
	struct device *device;
	struct gpio_desc *trigger;
	struct gpio_descs *responses;
	struct irqscope_register registers[IRQSCOPE_GPIO_LINES];
	bool direct;
	u64 call_ps;
	u64 store_ps;
	struct cpumask affinity;
	bool moved;
	bool claimed;
	wait_queue_head_t released;
};

static DEFINE_SPINLOCK(irqscope_gpio_lock);
static struct irqscope_gpio irqscope_gpio = {
	.released = __WAIT_QUEUE_HEAD_INITIALIZER(irqscope_gpio.released),
};

static void irqscope_gpio_set(struct irqscope_port *port, u32 bit, u32 bits)
{
	gpiod_set_value(irqscope_gpio.responses->desc[__ffs(bit)], !!(bits & bit));
}

static int irqscope_gpio_claim(struct irqscope_port *port)
{
	struct irqscope_gpio *gpio = &irqscope_gpio;
	bool low;
	int err;

	spin_lock(&irqscope_gpio_lock);
	gpio->claimed = gpio->device;
	spin_unlock(&irqscope_gpio_lock);
	if (!gpio->claimed) {
		pr_err("there are no lines: load an overlay with irqscope,gpio-lines, or this module with trigger= and responses=\n");
		return -ENODEV;
	}
	low = gpiod_is_active_low(gpio->trigger);
	port->irq = gpiod_to_irq(gpio->trigger);
	err = irq_set_irq_type(port->irq, low ? IRQ_TYPE_EDGE_FALLING : IRQ_TYPE_EDGE_RISING);
	if (err) {
		dev_err(gpio->device, "the trigger's line cannot interrupt at its %s edge (%d): choose another\n",
			low ? "falling" : "rising", err);
		port->release(port);
		return err;
	}
	/* The request leaves it disabled: @gated. */
	irq_set_status_flags(port->irq, IRQ_NOAUTOEN);
	port->lines = gpio->responses->ndescs;
	port->registers = gpio->direct ? gpio->registers : NULL;
	return 0;
}

/* Its interrupts come through one of the controller's own, which can be bound. */
static int irqscope_gpio_bind(const struct gpio_chip *controller, const struct cpumask *cpus)
{
	const unsigned int *parents;
	unsigned int index, count = irqscope_gpio_parents(controller, &parents);
	int err = -EINVAL;

	for (index = 0; index < count; index++) {
		err = irqscope_irq_set_affinity(parents[index], cpus);
		if (err)
			break;
	}
	return err;
}

static int irqscope_gpio_move(struct irqscope_port *port, const struct cpumask *cpus)
{
	const struct gpio_chip *controller = irqscope_gpio_controller(irqscope_gpio.trigger);
	const struct cpumask *affinity;
	const unsigned int *parents;

	if (!irqscope_gpio_parents(controller, &parents))
		return -EINVAL;
	affinity = irq_get_affinity_mask(parents[0]);
	cpumask_copy(&irqscope_gpio.affinity, affinity ? affinity : cpu_possible_mask);
	irqscope_gpio.moved = true;
	return irqscope_gpio_bind(controller, cpus);
}

static void irqscope_gpio_release(struct irqscope_port *port)
{
	struct irqscope_gpio *gpio = &irqscope_gpio;

	if (gpio->moved)
		irqscope_gpio_bind(irqscope_gpio_controller(gpio->trigger), &gpio->affinity);
	gpio->moved = false;
	irq_clear_status_flags(port->irq, IRQ_NOAUTOEN);
	port->registers = NULL;
	port->irq = 0;
	spin_lock(&irqscope_gpio_lock);
	gpio->claimed = false;
	spin_unlock(&irqscope_gpio_lock);
	wake_up(&gpio->released);
}

static void irqscope_gpio_enable_irq(struct irqscope_port *port)
{
	struct irq_data *data = irq_get_irq_data(port->irq);

	/* Controllers latch edges while the line is masked: forget those before. */
	if (data->chip->irq_ack)
		data->chip->irq_ack(data);
	enable_irq(port->irq);
}

static void irqscope_gpio_disable_irq(struct irqscope_port *port)
{
	/* The line is disabled, and masked when the driver frees it. */
}

static struct irqscope_port irqscope_gpio_port = {
	.name = "gpio",
	.owner = THIS_MODULE,
	.gated = true,
	.set = irqscope_gpio_set,
	.claim = irqscope_gpio_claim,
	.release = irqscope_gpio_release,
	.move = irqscope_gpio_move,
	.enable_irq = irqscope_gpio_enable_irq,
	.disable_irq = irqscope_gpio_disable_irq,
};

static ssize_t cost_show(struct device *device, struct device_attribute *attribute, char *text)
{
	const struct irqscope_gpio *gpio = dev_get_drvdata(device);
	int length = sysfs_emit(text, "call %llu ps\n", gpio->call_ps);

	if (gpio->direct)
		length += sysfs_emit_at(text, length, "register %llu ps\n", gpio->store_ps);
	return length;
}
static DEVICE_ATTR_RO(cost);

static struct attribute *irqscope_gpio_attrs[] = {
	&dev_attr_cost.attr,
	NULL
};
ATTRIBUTE_GROUPS(irqscope_gpio);

static int irqscope_gpio_check(struct device *device, const char *what, struct gpio_desc *line)
{
	if (!gpiod_cansleep(line))
		return 0;
	dev_err(device, "the %s line is on %s, which can sleep (it is behind I2C, SPI or USB): choose a line of the processor's own\n",
		what, irqscope_gpio_controller(line)->label);
	return -EINVAL;
}

static int irqscope_gpio_get(struct irqscope_gpio *gpio, struct device *device)
{
	unsigned int index;
	int err;

	gpio->trigger = devm_gpiod_get(device, IRQSCOPE_GPIO_TRIGGER, GPIOD_IN);
	if (IS_ERR(gpio->trigger))
		return dev_err_probe(device, PTR_ERR(gpio->trigger), "no trigger-gpios\n");
	gpio->responses = devm_gpiod_get_array(device, IRQSCOPE_GPIO_RESPONSE, GPIOD_OUT_LOW);
	if (IS_ERR(gpio->responses))
		return dev_err_probe(device, PTR_ERR(gpio->responses), "no response-gpios\n");
	if (gpio->responses->ndescs > IRQSCOPE_GPIO_LINES) {
		dev_err(device, "response-gpios has %u lines: name at most %u\n",
			gpio->responses->ndescs, IRQSCOPE_GPIO_LINES);
		return -EINVAL;
	}
	err = irqscope_gpio_check(device, "trigger", gpio->trigger);
	for (index = 0; !err && index < gpio->responses->ndescs; index++)
		err = irqscope_gpio_check(device, "response", gpio->responses->desc[index]);
	if (err)
		return err;
	err = gpiod_to_irq(gpio->trigger);
	if (err < 0) {
		dev_err(device, "the trigger line on %s has no interrupt (%d): choose another\n",
			irqscope_gpio_controller(gpio->trigger)->label, err);
		return err;
	}
	return 0;
}

/* All lines or none are driven by registers: they shall cost the same. */
static void irqscope_gpio_know(struct irqscope_gpio *gpio, struct device *device)
{
	unsigned int index;
	int err = 0;

	gpio->call_ps = irqscope_gpio_cost(gpio->responses->desc[0], NULL);
	for (index = 0; !err && index < gpio->responses->ndescs; index++)
		err = irqscope_gpio_registers(device, gpio->responses->desc[index],
					      &gpio->registers[index]);
	gpio->direct = !err;
	if (gpio->direct)
		gpio->store_ps = irqscope_gpio_cost(gpio->responses->desc[0], gpio->registers);
	dev_info(device, "%u lines on %s, driven by %s (%llu ps, a call takes %llu ps)\n",
		 gpio->responses->ndescs, irqscope_gpio_controller(gpio->responses->desc[0])->label,
		 gpio->direct ? "registers" : "calls",
		 gpio->direct ? gpio->store_ps : gpio->call_ps, gpio->call_ps);
}

static bool irqscope_gpio_withdraw(void)
{
	struct irqscope_gpio *gpio = &irqscope_gpio;
	bool withdrawn;

	spin_lock(&irqscope_gpio_lock);
	withdrawn = !gpio->claimed;
	if (withdrawn)
		gpio->device = NULL;
	spin_unlock(&irqscope_gpio_lock);
	return withdrawn;
}

/* A run pins this module, but not the device: its removal waits for the run. */
static void irqscope_gpio_remove(void *nothing)
{
	wait_event(irqscope_gpio.released, irqscope_gpio_withdraw());
}

static int irqscope_gpio_probe(struct platform_device *device)
{
	struct irqscope_gpio *gpio = &irqscope_gpio;
	int err;

	if (gpio->device) {
		dev_err(&device->dev, "there are lines already, those of %s: have one device\n",
			dev_name(gpio->device));
		return -EBUSY;
	}
	err = irqscope_gpio_get(gpio, &device->dev);
	if (err)
		return err;
	irqscope_gpio_know(gpio, &device->dev);
	platform_set_drvdata(device, gpio);
	spin_lock(&irqscope_gpio_lock);
	gpio->device = &device->dev;
	spin_unlock(&irqscope_gpio_lock);
	return devm_add_action_or_reset(&device->dev, irqscope_gpio_remove, NULL);
}

static const struct of_device_id irqscope_gpio_of_match[] = {
	{ .compatible = "irqscope,gpio-lines" },
	{ }
};
MODULE_DEVICE_TABLE(of, irqscope_gpio_of_match);

static struct platform_driver irqscope_gpio_driver = {
	.driver = {
		.name = IRQSCOPE_GPIO_NAME,
		.of_match_table = irqscope_gpio_of_match,
		.dev_groups = irqscope_gpio_groups,
	},
	.probe = irqscope_gpio_probe,
};

static int __init irqscope_gpio_init(void)
{
	int err = irqscope_port_register(&irqscope_gpio_port);

	if (err)
		return err;
	err = platform_driver_register(&irqscope_gpio_driver);
	if (err)
		goto unregister_port;
	err = irqscope_gpio_lookup_register();
	if (err)
		goto unregister_driver;
	return 0;

unregister_driver:
	platform_driver_unregister(&irqscope_gpio_driver);
unregister_port:
	irqscope_port_unregister(&irqscope_gpio_port);
	return err;
}

static void __exit irqscope_gpio_exit(void)
{
	irqscope_gpio_lookup_unregister();
	platform_driver_unregister(&irqscope_gpio_driver);
	irqscope_port_unregister(&irqscope_gpio_port);
}

module_init(irqscope_gpio_init);
module_exit(irqscope_gpio_exit);

MODULE_DESCRIPTION("GPIO lines for irqscope");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
