// SPDX-License-Identifier: Apache-2.0 OR MIT
// All that is in sysfs: read, and written with what is allowed, almost allowed, or absurd.
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ITEMS(array) (sizeof(array) / sizeof(*(array)))
#define LONGEST 1024

static const char *const stages[] = {
	"irq", "softirq", "tasklet_hi", "tasklet", "work_hi", "work", "work_unbound", "thread",
	"kthread", "user", "work_bh", "nonsense"
};

static const char *const choices_of_trigger[] = { "timer", "inject", "line", "sleep" };
static const char *const choices_of_line[] = { "record", "memory", "parport", "gpio", "ivshmem" };
static const char *const choices_of_inside[] = { "on", "on", "off" };
static const char *const choices_of_explain[] = { "off", "off", "off", "on" };
static const char *const choices_of_mode[] = { "together", "isolated" };
static const char *const choices_of_pacing[] = { "open", "closed" };
static const char *const choices_of_jitter[] = { "none", "uniform", "exponential" };
static const char *const choices_of_compensate[] = { "none", "counter" };
static const char *const choices_of_irq[] = { "7", "7", "7", "5", "1", "4", "9999", "2147483647" };
static const char *const choices_of_sched[] = { "fifo 1", "fifo 50", "rr 3", "other 0", "other -5" };

struct numbers {
	uint64_t least;
	uint64_t most;
	bool power_of_two;
};

struct setting {
	const char *name;
	const char *const *choices;
	size_t count;
	struct numbers numbers;
	void (*text)(char *value);
};

// Only what ends soon: an hour between two triggers would find nothing.
static void stages_text(char *value)
{
	size_t used = 0;

	for (size_t i = 0; i < ITEMS(stages) - 1; i++)
		if (!one_in(3))
			used += snprintf(value + used, LONGEST - used, "%s ", stages[i]);
	if (one_in(20))
		snprintf(value + used, LONGEST - used, "%s", stages[ITEMS(stages) - 1]);
}

static void execution_text(char *value)
{
	static const char *const kinds[] = { "fixed", "exponential", "uniform 0" };
	size_t used = 0;

	if (one_in(2)) {
		strcpy(value, "off");
		return;
	}
	for (size_t i = 0; i < ITEMS(stages); i++)
		if (one_in(4))
			used += snprintf(value + used, LONGEST - used, "%s %s %llu ", stages[i],
					 kinds[below(ITEMS(kinds))],
					 (unsigned long long)below(60000));
}

#define CHOICES(array) .choices = (array), .count = ITEMS(array)

static const struct setting settings[] = {
	{ "settings/stages", .text = stages_text },
	{ "settings/execution", .text = execution_text },
	{ "settings/trigger", CHOICES(choices_of_trigger) },
	{ "settings/line", CHOICES(choices_of_line) },
	{ "settings/inside", CHOICES(choices_of_inside) },
	{ "settings/explain", CHOICES(choices_of_explain) },
	{ "settings/mode", CHOICES(choices_of_mode) },
	{ "settings/pacing", CHOICES(choices_of_pacing) },
	{ "settings/jitter", CHOICES(choices_of_jitter) },
	{ "settings/compensate", CHOICES(choices_of_compensate) },
	{ "settings/irq", CHOICES(choices_of_irq) },
	{ "settings/kthread_sched", CHOICES(choices_of_sched) },
	{ "settings/thread_sched", CHOICES(choices_of_sched) },
	{ "settings/period_ns", .numbers = { 500000, 5000000 } },
	{ "settings/interval_ns", .numbers = { 100000, 400000 } },
	{ "settings/burst", .numbers = { 1, 5 } },
	{ "settings/count", .numbers = { 1, 300 } },
	{ "settings/jitter_ns", .numbers = { 0, 200000 } },
	{ "settings/turn_length", .numbers = { 1, 9 } },
	{ "settings/seed", .numbers = { 0, 1000000 } },
	{ "settings/cpu", .numbers = { 0, 1 } },
	{ "settings/inject_cpu", .numbers = { 0, 1 } },
	{ "settings/slots", .numbers = { 4, 4096, true } },
	{ "settings/events", .numbers = { 64, 1 << 16, true } },
	{ "settings/timeout_ms", .numbers = { 1, 300 } },
};

static const char *const readable[] = {
	"run", "state", "abi", "tick_fs", "timer_hz", "kthread_pid", "thread_pid", "cost", "event_cost",
	"events_lost", "lacking_tracepoints", "available_stages", "counters/triggers",
	"counters/complete", "counters/missing", "counters/coalesced", "counters/overrun",
	"counters/skipped", "counters/spurious", "counters/published"
};

static void absurd(char *value)
{
	static const char *const some[] = {
		"-1", "18446744073709551616", "9223372036854775807", "", " ", "\n\n", "0x7f", "%s%n",
		"irq irq irq", "fifo 100", "other -21", "1e3"
	};
	size_t length = below(300);

	if (one_in(2)) {
		strcpy(value, some[below(ITEMS(some))]);
		return;
	}
	for (size_t i = 0; i < length; i++)
		value[i] = 1 + below(255);
	value[length] = 0;
}

static void value_of(const struct setting *setting, char *value)
{
	const struct numbers *numbers = &setting->numbers;
	uint64_t number = numbers->least + below(numbers->most - numbers->least + 1);

	if (one_in(20))
		absurd(value);
	else if (setting->text)
		setting->text(value);
	else if (setting->choices)
		strcpy(value, setting->choices[below(setting->count)]);
	else if (numbers->power_of_two && !one_in(8))
		sprintf(value, "%d", 1 << (63 - __builtin_clzll(number)));
	else
		sprintf(value, "%llu", (unsigned long long)number);
}

// Has something else than a run measured on a CPU, or no longer.
static void mark_some(void)
{
	static const char *const some[] = { "0", "1", "off", "-1", "2", "99999", "" };

	set("mark", some[below(ITEMS(some))]);
}

// Sets all that a run on lines of a device needs, which may be gone.
static void line_settings(void)
{
	static const char *const lines[] = { "parport", "gpio", "ivshmem" };

	set("settings/trigger", one_in(2) ? "line" : one_in(2) ? "inject" : "timer");
	set("settings/line", lines[below(ITEMS(lines))]);
	set("settings/stages", one_in(2) ? "irq softirq" : "irq work thread");
	set("settings/inside", one_in(3) ? "off" : "on");
	set("settings/compensate", "none");
	set("settings/burst", "1");
	set("settings/timeout_ms", "50");
	set("settings/count", "100");
	run(true);
}

static void read_one(const char *name)
{
	char path[160], text[4096];
	int fd;

	snprintf(path, sizeof(path), SCOPE "%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (read(fd, text, one_in(10) ? below(sizeof(text)) : sizeof(text)) < 0)
		rest_us(100);
	close(fd);
}

void settings_worker(void)
{
	const struct setting *setting = &settings[below(ITEMS(settings))];
	char value[LONGEST] = "";

	if (one_in(40))
		line_settings();
	switch (below(8)) {
	case 0:
		if (one_in(8))
			mark_some();
		else
			run(!one_in(3));
		break;
	case 1:
		read_one(readable[below(ITEMS(readable))]);
		break;
	case 2:
		read_one(setting->name);
		break;
	default:
		value_of(setting, value);
		set(setting->name, value);
	}
	count(SETTINGS);
	if (one_in(30))
		rest_us(20000);
}

// Sets all that sleeps need as triggers, and begins a run; another worker may change it before.
void begin_sleeps(void)
{
	set("settings/trigger", "sleep");
	set("settings/stages", one_in(2) ? "irq user" : "user");
	set("settings/pacing", "closed");
	set("settings/burst", "1");
	set("settings/inside", "on");
	set("settings/line", one_in(2) ? "record" : "memory");
	set("settings/period_ns", one_in(2) ? "50000" : "400000");
	set("settings/count", "200");
	run(true);
}

// Sets all that a generator needs; another worker may change it before the run begins.
void generator_settings(void)
{
	set("settings/trigger", "inject");
	set("settings/line", "memory");
	set("settings/irq", "7");
	set("settings/cpu", "0");
	set("settings/burst", "1");
	set("settings/timeout_ms", "50");
	set("settings/stages", one_in(2) ? "irq user" : "irq softirq work kthread user");
	set("settings/compensate", one_in(3) ? "counter" : "none");
	set("settings/inside", one_in(3) ? "off" : "on");
	set("settings/count", "200");
}
