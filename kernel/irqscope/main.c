// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope - an oscilloscope for interrupt latency.
 *
 * Loading and unloading; README.md says what is where.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/module.h>

#include "internal.h"

#define POLL_US	500

struct irqscope irqscope;

static int irqscope_cpu_state;
static bool irqscope_is_loaded;

static int irqscope_cpu_offline(unsigned int cpu)
{
	struct irqscope *scope = &irqscope;

	if (READ_ONCE(scope->active) && (cpu == scope->cpu || cpu == scope->pacer.cpu))
		irqscope_run_stop(scope, IRQSCOPE_CPU_OFFLINE, cpu);
	return 0;
}

static int irqscope_init_clock(struct irqscope *scope)
{
	scope->tick_fs = irqscope_clock_tick_fs();
	if (scope->tick_fs)
		return 0;
	pr_err("this machine has no calibrated cycle counter\n");
	return -ENODEV;
}

/**
 * irqscope_opener_get() - may a device be opened?
 *
 * While the module is loading its devices appear one by one, and the load may still
 * fail; the kernel would then free a module that has an opener.
 *
 * Return: the scope, or NULL if not yet
 */
struct irqscope *irqscope_opener_get(void)
{
	/* Pairs with the release in irqscope_init(). */
	return smp_load_acquire(&irqscope_is_loaded) ? &irqscope : NULL;
}

/* The devices are gone; an opener that was just refused may be on its way out still. */
static void irqscope_wait_for_openers(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	while (module_refcount(THIS_MODULE) > 1) /* the load's own */
		usleep_range(POLL_US, 2 * POLL_US);
#endif
}

static int irqscope_register(void)
{
	int err = irqscope_user_register();

	if (err)
		return err;
	err = irqscope_events_register();
	if (err)
		goto unregister_user;
	err = irqscope_memory_register();
	if (err)
		goto unregister_events;
	err = irqscope_device_register(); /* the settings come with it: the last */
	if (err)
		goto unregister_memory;
	return 0;

unregister_memory:
	irqscope_run_stop(&irqscope, IRQSCOPE_STOPPED, 0);
	irqscope_memory_unregister();
unregister_events:
	irqscope_events_unregister();
unregister_user:
	irqscope_user_unregister();
	irqscope_wait_for_openers();
	return err;
}

static void irqscope_unregister(void)
{
	irqscope_device_unregister(); /* from here on no run can be started */
	irqscope_run_stop(&irqscope, IRQSCOPE_STOPPED, 0);
	irqscope_memory_unregister();
	irqscope_events_unregister();
	irqscope_user_unregister();
}

/* Frees what runs have left behind, of which none is active. */
static void irqscope_free(struct irqscope *scope)
{
	cancel_delayed_work_sync(&scope->supervise);
	destroy_workqueue(scope->supervisor);
	irqscope_device_exit(scope);
	irqscope_user_edge_free(scope);
	irqscope_probing_settle(scope);
	irqscope_interference_free(scope);
	irqscope_ring_free(scope);
}

static int irqscope_allocate(struct irqscope *scope)
{
	int err = irqscope_cost_measure(scope);

	if (err)
		return err;
	err = irqscope_user_edge_init(scope);
	if (err)
		return err;
	scope->supervisor = alloc_workqueue("irqscope", WQ_UNBOUND, 1);
	if (scope->supervisor)
		return 0;
	irqscope_user_edge_free(scope);
	return -ENOMEM;
}

static int __init irqscope_init(void)
{
	struct irqscope *scope = &irqscope;
	int err = irqscope_init_clock(scope);

	if (err)
		return err;
	irqscope_settings_init(scope);
	irqscope_stages_init(scope);
	irqscope_run_init(scope);
	irqscope_ring_init(scope);
	irqscope_probing_init(scope);
	irqscope_interference_init(scope);
	irqscope_device_init(scope);
	irqscope_user_init(scope);
	irqscope_inject_init(scope);
	irqscope_execution_calibrate(scope);
	err = irqscope_allocate(scope);
	if (err)
		return err;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "irqscope:online",
					NULL, irqscope_cpu_offline);
	if (err < 0)
		goto free;
	irqscope_cpu_state = err;
	err = irqscope_register();
	if (err)
		goto remove_state;
	/* Nothing can fail any more. */
	smp_store_release(&irqscope_is_loaded, true);
	return 0;

remove_state:
	cpuhp_remove_state_nocalls(irqscope_cpu_state);
free:
	irqscope_free(scope);
	return err;
}

static void __exit irqscope_exit(void)
{
	irqscope_unregister();
	cpuhp_remove_state_nocalls(irqscope_cpu_state);
	irqscope_free(&irqscope);
}

module_init(irqscope_init);
module_exit(irqscope_exit);

MODULE_DESCRIPTION("Oscilloscope for interrupt latency");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
