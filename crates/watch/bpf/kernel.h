/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * The fields of the kernel's structures that the probes read. Offsets here mean
 * nothing: the loader replaces them by those of the running kernel's BTF, and a
 * field that a kernel has not is found by bpf_core_field_exists().
 */
#ifndef IRQSCOPE_WATCH_KERNEL_H
#define IRQSCOPE_WATCH_KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))

#define COMM_LEN 16

struct task_struct {
	int pid;
	int prio;
	void *mm;
	char comm[COMM_LEN];
} RELOCATED;

struct net_device {
	char name[COMM_LEN];
} RELOCATED;

struct napi_struct {
	struct net_device *dev;
} RELOCATED;

struct hrtimer_clock_base {
	int clockid;
} RELOCATED;

struct timerqueue_node {
	s64 expires;
} RELOCATED;

struct hrtimer {
	struct timerqueue_node node;
	s64 _softexpires;
	void *function;
	struct hrtimer_clock_base *base;
} RELOCATED;

struct timer_list {
	void *function;
} RELOCATED;

struct work_struct {
	void *func;
} RELOCATED;

/* Whether the running kernel's structure has this field. */
#define bpf_core_field_exists(field) __builtin_preserve_field_info(field, 2)

/* Helpers, by the numbers that include/uapi/linux/bpf.h gives them. */
static u64 (*bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*bpf_get_current_task)(void) = (void *)35;
static long (*bpf_probe_read_kernel)(void *to, u32 size, const void *from) = (void *)113;
static void *(*bpf_ringbuf_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*bpf_ringbuf_submit)(void *record, u64 flags) = (void *)132;
static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value,
				   u64 flags) = (void *)2;
static long (*bpf_get_stack)(void *ctx, void *to, u32 size, u64 flags) = (void *)67;

/* The reader looks by itself: a wakeup for each event would be what it measures. */
#define BPF_RB_NO_WAKEUP 1

#define BPF_ANY 0

#define BPF_MAP_TYPE_ARRAY 2
#define BPF_MAP_TYPE_PERCPU_HASH 5
#define BPF_MAP_TYPE_PERCPU_ARRAY 6
#define BPF_MAP_TYPE_RINGBUF 27

#define CLOCK_MONOTONIC 1

/* PWR_EVENT_EXIT (include/trace/events/power.h). */
#define CPU_AWAKE (u32)-1

#endif
