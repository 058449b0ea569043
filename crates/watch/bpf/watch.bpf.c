// SPDX-License-Identifier: Apache-2.0 OR MIT
/*
 * The probes of irqscope watch. Each stamps first, then pushes one record of a
 * fixed size into one ring; what follows from them is made of them in user space.
 * Nothing here changes the kernel's way, and nothing loops.
 *
 * To the kernel's check of licences this object says "Dual MIT/GPL": helpers that
 * read kernel memory are for programs under a licence that GPL-2.0 is compatible
 * with, which MIT is.
 */
#include "kernel.h"

enum kind {
	IRQ_ENTRY = 1,
	IRQ_EXIT,
	SOFTIRQ_RAISE,
	SOFTIRQ_ENTRY,
	SOFTIRQ_EXIT,
	NAPI_POLL,
	WAKING,
	SWITCH,
	TIMER_ENTRY,
	TIMER_EXIT,
	USER,
	VECTOR_ENTRY,
	VECTOR_EXIT,
	WORK_ENTRY,
	WORK_EXIT,
	SEND,
	STACKED,
};

/* src/event.rs reads it. */
struct event {
	u64 at; /* CLOCK_MONOTONIC */
	u16 kind;
	u16 cpu;
	u32 number; /* interrupt, vector, thread */
	u64 value;
	union {
		char name[COMM_LEN];
		s64 due;
		u64 has_user_space; /* of the thread whose stack it is */
	};
};

struct {
	int (*type)[BPF_MAP_TYPE_RINGBUF];
	int (*max_entries)[4 << 20];
} events SEC(".maps");

/* Records for which the ring had no room. */
struct {
	int (*type)[BPF_MAP_TYPE_ARRAY];
	u32 *key;
	u64 *value;
	int (*max_entries)[1];
} lost SEC(".maps");

/* Set before the programs are loaded: which wakeups are recorded. */
const volatile u32 only_pid = 0;
const volatile u32 only_real_time = 0;
/*
 * How late a timer's callback has to be for the kernel's stack to be kept, which
 * costs more than all else here; 0: it never is.
 */
const volatile u64 late_ns = 0;
/* A bit for each CPU whose events are recorded; 0: all. */
const volatile u64 only_cpus = 0;

/* Functions of the stack that are kept, as src/chains/stack.rs has it: a softirq's and an interrupt's are some 14. */
#define FRAMES 24

/* Priorities of real-time policies, and of SCHED_DEADLINE, lie below. */
#define MAX_RT_PRIO 100

static inline __attribute__((always_inline)) struct event *
push(u64 at, u32 cpu, enum kind kind, u32 number, u64 value)
{
	struct event *event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	u32 first = 0;
	u64 *count;

	if (!event) {
		count = bpf_map_lookup_elem(&lost, &first);
		if (count)
			__sync_fetch_and_add(count, 1);
		return 0;
	}
	event->at = at;
	event->kind = kind;
	event->cpu = cpu;
	event->number = number;
	event->value = value;
	return event;
}

static inline __attribute__((always_inline)) int is_wanted(u32 cpu)
{
	return !only_cpus || (cpu < 64 && only_cpus >> cpu & 1);
}

static inline __attribute__((always_inline)) struct event *
begin(u64 at, enum kind kind, u32 number, u64 value)
{
	u32 cpu = bpf_get_smp_processor_id();

	return is_wanted(cpu) ? push(at, cpu, kind, number, value) : 0;
}

static inline __attribute__((always_inline)) int
record(enum kind kind, u32 number, u64 value)
{
	u64 at = bpf_ktime_get_ns();
	struct event *event = begin(at, kind, number, value);

	if (event)
		bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/irq_handler_entry")
int irq_handler_entry(u64 *ctx)
{
	return record(IRQ_ENTRY, ctx[0], 0);
}

SEC("tp_btf/irq_handler_exit")
int irq_handler_exit(u64 *ctx)
{
	return record(IRQ_EXIT, ctx[0], (u32)ctx[2]);
}

SEC("tp_btf/softirq_raise")
int softirq_raise(u64 *ctx)
{
	return record(SOFTIRQ_RAISE, ctx[0], 0);
}

SEC("tp_btf/softirq_entry")
int softirq_entry(u64 *ctx)
{
	return record(SOFTIRQ_ENTRY, ctx[0], 0);
}

SEC("tp_btf/softirq_exit")
int softirq_exit(u64 *ctx)
{
	return record(SOFTIRQ_EXIT, ctx[0], 0);
}

SEC("tp_btf/napi_poll")
int napi_poll(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	struct napi_struct *napi = (void *)ctx[0];
	struct event *event = begin(at, NAPI_POLL, (u32)ctx[1], 0);

	if (!event)
		return 0;
	bpf_probe_read_kernel(event->name, COMM_LEN, &napi->dev->name);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_waking")
int sched_waking(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	struct task_struct *task = (void *)ctx[0];
	struct event *event;
	u32 pid = task->pid, prio = task->prio;

	if (only_pid && pid != only_pid)
		return 0;
	if (only_real_time && prio >= MAX_RT_PRIO)
		return 0;
	event = begin(at, WAKING, pid, prio | bpf_get_current_pid_tgid() << 32);
	if (!event)
		return 0;
	bpf_probe_read_kernel(event->name, COMM_LEN, &task->comm);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/sched_switch")
int sched_switch(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct event *event = begin(at, SWITCH, next->pid, (u32)prev->pid);

	if (!event)
		return 0;
	bpf_probe_read_kernel(event->name, COMM_LEN, &next->comm);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

/*
 * A timer that comes late was not let in: its interrupt comes before the instruction
 * at which the CPU took it, and that one and its callers are beyond the interrupt's
 * own functions on the stack. Of an idle CPU it is known why: it slept.
 */
static inline __attribute__((always_inline)) void keep_stack(u64 *ctx, u64 at)
{
	u64 stack[FRAMES] = {};
	struct task_struct *task;
	struct event *event;
	void *mm = 0;

	if (!(u32)bpf_get_current_pid_tgid())
		return;
	task = (void *)bpf_get_current_task();
	bpf_probe_read_kernel(&mm, sizeof(mm), &task->mm);
	bpf_get_stack(ctx, stack, sizeof(stack), 0);
#pragma unroll
	for (int frame = 0; frame < FRAMES; frame++) {
		if (!stack[frame])
			return;
		event = begin(at, STACKED, frame, stack[frame]);
		if (!event)
			return;
		event->has_user_space = mm != 0;
		bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	}
}

/*
 * A timer of another clock has no due instant that could be compared: 0. The sleep
 * of a thread that is not of real time has slack, and is late only beyond that.
 */
SEC("tp_btf/hrtimer_expire_entry")
int hrtimer_expire_entry(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	struct hrtimer *timer = (void *)ctx[0];
	struct event *event;
	u64 function = 0, due, last = 0;

	if (bpf_core_field_exists(timer->function))
		function = (u64)timer->function;
	due = timer->base->clockid == CLOCK_MONOTONIC ? timer->_softexpires : 0;
	if (bpf_core_field_exists(timer->node.expires))
		last = timer->node.expires;
	if (late_ns && due && last && (s64)(at - last) >= (s64)late_ns)
		keep_stack(ctx, at);
	event = begin(at, TIMER_ENTRY, 0, function);
	if (!event)
		return 0;
	event->due = due;
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

SEC("tp_btf/hrtimer_expire_exit")
int hrtimer_expire_exit(u64 *ctx)
{
	return record(TIMER_EXIT, 0, 0);
}

SEC("tp_btf/timer_expire_entry")
int timer_expire_entry(u64 *ctx)
{
	struct timer_list *timer = (void *)ctx[0];

	return record(TIMER_ENTRY, 0, (u64)timer->function);
}

SEC("tp_btf/timer_expire_exit")
int timer_expire_exit(u64 *ctx)
{
	return record(TIMER_EXIT, 0, 0);
}

SEC("tp_btf/workqueue_execute_start")
int workqueue_execute_start(u64 *ctx)
{
	struct work_struct *work = (void *)ctx[0];

	return record(WORK_ENTRY, 0, (u64)work->func);
}

SEC("tp_btf/workqueue_execute_end")
int workqueue_execute_end(u64 *ctx)
{
	return record(WORK_EXIT, 0, 0);
}

/* Recorded on the sending CPU; the number is the other one's. Linux 6.4 and later. */
SEC("tp_btf/ipi_send_cpu")
int ipi_send_cpu(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	u32 from = bpf_get_smp_processor_id(), to = ctx[0];
	struct task_struct *task = (void *)bpf_get_current_task();
	struct event *event;

	if (from == to || !is_wanted(to))
		return 0;
	event = push(at, from, SEND, to, ctx[1]);
	if (!event)
		return 0;
	bpf_probe_read_kernel(event->name, COMM_LEN, &task->comm);
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
	return 0;
}

/* Interrupts of x86 that have no descriptor, and with it no handler's tracepoint. */
#define VECTOR(name, number)                                         \
	SEC("tp_btf/" #name "_entry") int name##_entry(u64 *ctx)     \
	{                                                            \
		return record(VECTOR_ENTRY, number, 0);              \
	}                                                            \
	SEC("tp_btf/" #name "_exit") int name##_exit(u64 *ctx)       \
	{                                                            \
		return record(VECTOR_EXIT, number, 0);               \
	}

VECTOR(local_timer, 0)
VECTOR(reschedule, 1)
VECTOR(call_function, 2)
VECTOR(call_function_single, 3)
VECTOR(irq_work, 4)

/* Attached to one function of one program. */
SEC("uprobe")
int user_reached(void *ctx)
{
	return record(USER, (u32)bpf_get_current_pid_tgid(), 0);
}

char _license[] SEC("license") = "Dual MIT/GPL";
