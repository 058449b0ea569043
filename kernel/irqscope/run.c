// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run from its start to its end.
 *
 *	start:	ring, line, trigger, stages; then edges, then triggers
 *	end:	the same in reverse, done by one work item, on any request
 *
 * Locks: the hotplug lock is taken before `control`, in start; the hotplug
 * callback holds it and waits for the end, which takes `control` only. Probes,
 * which need the hotplug lock themselves, come before both and go after both. A
 * run that drains holds no lock, so that it can be stopped: as long as it is
 * active no other can begin and no setting change, and none but its supervisor
 * ends it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/delay.h>

#include "internal.h"
#include "mark.h"

#define POLL_US	500

/* Both in one word, lest one is seen without the other. */
#define VERDICT_BITS	8

static int irqscope_verdict_pack(enum irqscope_verdict verdict, int detail)
{
	return detail * BIT(VERDICT_BITS) | verdict;
}

/**
 * irqscope_run_verdict() - why the run ends, or has ended
 * @scope: the scope
 * @detail: what belongs to it
 *
 * Return: the verdict
 */
enum irqscope_verdict irqscope_run_verdict(const struct irqscope *scope, int *detail)
{
	int packed = atomic_read(&scope->verdict);

	*detail = packed >> VERDICT_BITS;
	return packed & (BIT(VERDICT_BITS) - 1);
}

static bool irqscope_verdict_is(const struct irqscope *scope, enum irqscope_verdict verdict)
{
	int detail;

	return irqscope_run_verdict(scope, &detail) == verdict;
}

static int irqscope_run_prepare(struct irqscope *scope)
{
	int err = irqscope_bare_prepare(scope);

	if (err)
		return err;
	err = irqscope_counted_prepare(scope);
	if (err)
		return err;
	irqscope_execution_prepare(scope);
	err = irqscope_ring_prepare(scope);
	if (err)
		return err;
	err = irqscope_line_claim(scope);
	if (err)
		return err;
	err = scope->trigger->prepare(scope);
	if (err)
		goto release_line;
	err = irqscope_stages_prepare(scope);
	if (err)
		goto unprepare_trigger;
	err = irqscope_interference_prepare(scope);
	if (err)
		goto unprepare_stages;
	return 0;

unprepare_stages:
	irqscope_stages_unprepare(scope);
unprepare_trigger:
	scope->trigger->unprepare(scope);
release_line:
	irqscope_line_release(scope);
	return err;
}

static void irqscope_run_unprepare(struct irqscope *scope)
{
	irqscope_interference_unprepare(scope);
	irqscope_stages_unprepare(scope);
	irqscope_line_disarm(scope);
	scope->trigger->unprepare(scope);
	irqscope_line_release(scope);
	irqscope_probing_put_later(scope, irqscope_probing_wanted(scope));
}

static int irqscope_run_check(struct irqscope *scope)
{
	if (scope->active) {
		pr_err("a run is active: write 0 to run first\n");
		return -EBUSY;
	}
	if (!cpu_online(scope->settings.cpu)) {
		pr_err("cpu %lld is not online\n", scope->settings.cpu);
		return -ENODEV;
	}
	return 0;
}

static void irqscope_run_begin(struct irqscope *scope)
{
	irqscope_ring_begin(scope);
	scope->own_interrupts = 0;
	scope->turn = 0;
	scope->turn_left = 0;
	atomic_set(&scope->verdict, IRQSCOPE_RUNNING);
	WRITE_ONCE(scope->active, true);
	WRITE_ONCE(scope->state, IRQSCOPE_STATE_RUNNING);
	irqscope_mark_begin(scope->cpu);
	irqscope_line_arm(scope);
	scope->trigger->start(scope);
}

/**
 * irqscope_run_start() - begin a run with the present settings
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_run_start(struct irqscope *scope)
{
	unsigned long probes = irqscope_probing_wanted(scope);
	int err;

	irqscope_probing_settle(scope); /* of the run before */
	err = irqscope_probing_get(scope, probes);
	if (err)
		return err;
	cpus_read_lock();
	mutex_lock(&scope->control);
	err = irqscope_run_check(scope);
	if (err)
		goto unlock;
	if (probes != irqscope_probing_wanted(scope)) {
		pr_err("explain or trigger was set while the run began: start it again\n");
		err = -EAGAIN;
		goto unlock;
	}
	scope->cpu = scope->settings.cpu;
	scope->trigger = irqscope_trigger_ops(scope->settings.trigger);
	err = irqscope_run_prepare(scope);
	if (!err)
		irqscope_run_begin(scope);
unlock:
	mutex_unlock(&scope->control);
	cpus_read_unlock();
	if (err)
		irqscope_probing_put(scope, probes);
	return err;
}

/* Late responses are measured: wait for them, but not for ever. Not under control. */
static void irqscope_run_drain(struct irqscope *scope)
{
	unsigned long end = jiffies + msecs_to_jiffies(scope->settings.timeout_ms);

	while (irqscope_samples_open(scope) && time_before(jiffies, end) &&
	       irqscope_verdict_is(scope, IRQSCOPE_FINISHED))
		usleep_range(POLL_US, 2 * POLL_US);
}

/* Closes what is pending and waits for what is being answered right now. */
static void irqscope_run_close(struct irqscope *scope)
{
	irqscope_close_all(scope);
	while (irqscope_samples_open(scope)) {
		usleep_range(POLL_US, 2 * POLL_US);
		irqscope_close_all(scope); /* a stage that counts goes on */
	}
}

static enum irqscope_state irqscope_run_outcome(struct irqscope *scope)
{
	int detail;

	switch (irqscope_run_verdict(scope, &detail)) {
	case IRQSCOPE_FINISHED:
		return IRQSCOPE_STATE_DONE;
	case IRQSCOPE_STOPPED:
		return IRQSCOPE_STATE_STOPPED;
	case IRQSCOPE_CPU_OFFLINE:
		pr_err("run failed: cpu %d went offline\n", detail);
		break;
	case IRQSCOPE_GENERATOR_GONE:
		pr_err("run failed: its generator closed /dev/irqscope-memory\n");
		break;
	case IRQSCOPE_SLEEPER_GONE:
		pr_err("run failed: its thread closed /dev/irqscope-user\n");
		break;
	default:
		pr_err("run failed: irq %lld could not be injected (%d)\n",
		       scope->settings.irq, detail);
	}
	return IRQSCOPE_STATE_FAILED;
}

static void irqscope_run_supervise(struct work_struct *work)
{
	struct irqscope *scope = container_of(to_delayed_work(work), struct irqscope, supervise);

	mutex_lock(&scope->control);
	/* Queued for a run that has ended, when the next one has begun? */
	if (!scope->active || irqscope_verdict_is(scope, IRQSCOPE_RUNNING))
		goto unlock;
	scope->trigger->stop(scope);
	WRITE_ONCE(scope->state, IRQSCOPE_STATE_DRAINING);
	mutex_unlock(&scope->control);
	irqscope_run_drain(scope);
	mutex_lock(&scope->control);
	irqscope_mark_end();
	irqscope_user_edge_withdraw(scope);
	irqscope_run_close(scope);
	irqscope_run_unprepare(scope);
	WRITE_ONCE(scope->state, irqscope_run_outcome(scope));
	/* A reader that sees it ended sees all counters at their end. */
	smp_store_release(&scope->buffer.header->running, 0);
	WRITE_ONCE(scope->active, false);
	WRITE_ONCE(scope->runs_ended, scope->runs_ended + 1);
	irqscope_user_wake(scope);
	wake_up_interruptible(&scope->wait);
unlock:
	mutex_unlock(&scope->control);
}

/**
 * irqscope_run_end() - let a run end soon; the first verdict counts
 * @scope: the scope
 * @verdict: why
 * @detail: belongs to @verdict
 *
 * Any context.
 */
void irqscope_run_end(struct irqscope *scope, enum irqscope_verdict verdict, int detail)
{
	int packed = irqscope_verdict_pack(verdict, detail);

	/* A run that drains can still be stopped, or lose its CPU. */
	if (atomic_cmpxchg(&scope->verdict, IRQSCOPE_RUNNING, packed) == IRQSCOPE_FINISHED)
		atomic_cmpxchg(&scope->verdict, IRQSCOPE_FINISHED, packed);
	/* Later, lest the supervisor's wake-up disturbs the last sample. */
	mod_delayed_work(scope->supervisor, &scope->supervise,
			 verdict == IRQSCOPE_FINISHED ? HZ / 50 : 0);
}

/**
 * irqscope_run_stop() - end a run and wait until it has ended
 * @scope: the scope
 * @verdict: why
 * @detail: belongs to @verdict
 *
 * Does nothing if none is active; one that is just beginning is waited for. Process
 * context, not under control.
 */
void irqscope_run_stop(struct irqscope *scope, enum irqscope_verdict verdict, int detail)
{
	bool active;

	mutex_lock(&scope->control);
	active = scope->active;
	if (active)
		irqscope_run_end(scope, verdict, detail);
	mutex_unlock(&scope->control);
	if (active)
		flush_delayed_work(&scope->supervise);
}

/**
 * irqscope_run_init() - make what a run needs
 * @scope: the scope
 */
void irqscope_run_init(struct irqscope *scope)
{
	mutex_init(&scope->control);
	INIT_DELAYED_WORK(&scope->supervise, irqscope_run_supervise);
}
