// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module of a user's own, for tests: it has a parameter, and a timer that disturbs the CPU under
 * test again and again.
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/version.h>

static char *word = "";
module_param(word, charp, 0444);

static struct hrtimer own_timer;

static noinline enum hrtimer_restart own_disturbs(struct hrtimer *timer)
{
	int round;

	for (round = 0; round < 2000; round++)
		barrier();
	hrtimer_forward_now(timer, ns_to_ktime(311 * NSEC_PER_USEC));
	return HRTIMER_RESTART;
}

static int __init own_init(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	hrtimer_setup(&own_timer, own_disturbs, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&own_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	own_timer.function = own_disturbs;
#endif
	pr_info("irqscope_own says %s\n", word);
	hrtimer_start(&own_timer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	return 0;
}

static void __exit own_exit(void)
{
	hrtimer_cancel(&own_timer);
}

module_init(own_init);
module_exit(own_exit);
MODULE_DESCRIPTION("A module of a user's own, for tests");
MODULE_LICENSE("GPL");
