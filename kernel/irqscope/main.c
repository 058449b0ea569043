// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope - an oscilloscope for interrupt latency.
 *
 * Loading and unloading; README.md says what is where.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>

#include "internal.h"

struct irqscope irqscope;

static int irqscope_cpu_state;

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
	irqscope_interference_init(scope);
	irqscope_device_init(scope);
	irqscope_user_init(scope);
	irqscope_inject_init(scope);
	irqscope_execution_calibrate(scope);
	err = irqscope_cost_measure(scope);
	if (err)
		return err;
	err = irqscope_user_edge_init(scope);
	if (err)
		return err;
	scope->supervisor = alloc_workqueue("irqscope", WQ_UNBOUND, 1);
	if (!scope->supervisor) {
		err = -ENOMEM;
		goto free_edge;
	}
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "irqscope:online",
					NULL, irqscope_cpu_offline);
	if (err < 0)
		goto destroy_supervisor;
	irqscope_cpu_state = err;
	err = irqscope_user_register();
	if (err)
		goto remove_state;
	err = irqscope_events_register();
	if (err)
		goto unregister_user;
	err = irqscope_memory_register();
	if (err)
		goto unregister_events;
	err = irqscope_device_register();
	if (err)
		goto unregister_memory;
	return 0;

unregister_memory:
	irqscope_memory_unregister();
unregister_events:
	irqscope_events_unregister();
unregister_user:
	irqscope_user_unregister();
remove_state:
	cpuhp_remove_state_nocalls(irqscope_cpu_state);
destroy_supervisor:
	destroy_workqueue(scope->supervisor);
free_edge:
	irqscope_user_edge_free(scope);
	return err;
}

static void __exit irqscope_exit(void)
{
	struct irqscope *scope = &irqscope;

	irqscope_device_unregister(); /* from here on no run can be started */
	irqscope_run_stop(scope, IRQSCOPE_STOPPED, 0);
	irqscope_memory_unregister();
	irqscope_events_unregister();
	irqscope_user_unregister();
	cpuhp_remove_state_nocalls(irqscope_cpu_state);
	cancel_delayed_work_sync(&scope->supervise);
	destroy_workqueue(scope->supervisor);
	irqscope_device_exit(scope);
	irqscope_user_edge_free(scope);
	irqscope_interference_free(scope);
	irqscope_ring_free(scope);
}

module_init(irqscope_init);
module_exit(irqscope_exit);

MODULE_DESCRIPTION("Oscilloscope for interrupt latency");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
