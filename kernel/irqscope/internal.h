/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver's files call of each other, by the file that has it. */
#ifndef IRQSCOPE_INTERNAL_H
#define IRQSCOPE_INTERNAL_H

#include "driver.h"

/* main.c */
extern struct irqscope irqscope;
struct irqscope *irqscope_opener_get(void);

/* run.c */
int irqscope_run_start(struct irqscope *scope);
void irqscope_run_stop(struct irqscope *scope, enum irqscope_verdict verdict, int detail);
void irqscope_run_end(struct irqscope *scope, enum irqscope_verdict verdict, int detail);
enum irqscope_verdict irqscope_run_verdict(const struct irqscope *scope, int *detail);
void irqscope_run_init(struct irqscope *scope);

/* random.c */
u64 irqscope_random_below(u64 *state, u64 end);
u64 irqscope_random_exponential(u64 *state, u64 mean);

/* pacing.c */
int irqscope_pacer_check(const struct irqscope *scope);
void irqscope_pacer_start(struct irqscope *scope);
void irqscope_pacer_stop(struct irqscope *scope);
s64 irqscope_pacer_step_ns(struct irqscope *scope);
bool irqscope_pacer_due(struct irqscope *scope);
enum hrtimer_restart irqscope_pacer_next(struct irqscope *scope);

/* clock.c */
u64 irqscope_clock_tick_fs(void);
void irqscope_clock_settle(struct irqscope *scope, struct irqscope_sample *sample);

/* sample.c */
u64 irqscope_sample_open(struct irqscope *scope);
void irqscope_sample_start(struct irqscope *scope, u64 token, u64 cycles);
void irqscope_sample_drop(struct irqscope *scope, u64 token, int references);
void irqscope_sample_merge(struct irqscope *scope, u64 token);
void irqscope_sample_miss(struct irqscope *scope, u64 token);
void irqscope_answer(struct irqscope_responder *stage, u64 cycles);
void irqscope_answer_token(struct irqscope_responder *stage, u64 token, u64 cycles,
			   u64 executed);
void irqscope_spurious(struct irqscope *scope);
void irqscope_close_stage(struct irqscope_responder *stage);
void irqscope_close_all(struct irqscope *scope);
u32 irqscope_sample_turn(struct irqscope *scope);
u64 irqscope_samples_open(const struct irqscope *scope);

/* execution.c */
DECLARE_STATIC_KEY_FALSE(irqscope_executing);
extern struct device_attribute irqscope_execution_attribute;
void irqscope_execution_calibrate(struct irqscope *scope);
void irqscope_execution_prepare(struct irqscope *scope);
u64 irqscope_execution_next(struct irqscope_responder *stage);
u64 irqscope_execution_pass(struct irqscope_responder *stage, u64 cycles);

/* counted.c */
DECLARE_STATIC_KEY_FALSE(irqscope_counting);
int irqscope_counted_prepare(struct irqscope *scope);
void irqscope_counted_raise(struct irqscope_responder *stage, u64 token);
bool irqscope_counted_settle(struct irqscope_responder *stage, u64 token);
void irqscope_counted_again(struct irqscope_responder *stage);
void irqscope_counted_chain(struct irqscope *scope, u64 token);

/* bare.c */
DECLARE_STATIC_KEY_FALSE(irqscope_bare);
int irqscope_bare_prepare(struct irqscope *scope);
u64 irqscope_bare_open(struct irqscope *scope);
void irqscope_bare_raise(struct irqscope *scope, u64 token);
void irqscope_bare_answer(struct irqscope_responder *stage);
u64 irqscope_bare_pending(const struct irqscope *scope);

/* ring.c */
int irqscope_ring_prepare(struct irqscope *scope);
void irqscope_ring_begin(struct irqscope *scope);
int irqscope_ring_release(struct irqscope *scope, u64 below);
int irqscope_ring_resize(struct irqscope *scope, u32 slots);
void irqscope_ring_free(struct irqscope *scope);
void irqscope_ring_init(struct irqscope *scope);
bool irqscope_ring_is_due(struct irqscope *scope);

/* device.c */
void irqscope_device_init(struct irqscope *scope);
void irqscope_device_exit(struct irqscope *scope);
int irqscope_device_register(void);
void irqscope_device_unregister(void);

/* stage.c */
int irqscope_stages_prepare(struct irqscope *scope);
void irqscope_stages_unprepare(struct irqscope *scope);
void irqscope_stages_init(struct irqscope *scope);
int irqscope_stage_by_name(const char *name, size_t length);
u32 irqscope_stages_available(void);
const char *irqscope_stage_name(unsigned int index);

/* softirq.c, work.c, irq.c, kthread.c, user.c */
#define IRQSCOPE_DECLARE_STAGE(number, name) \
	extern const struct irqscope_stage_ops irqscope_##name##_stage;
IRQSCOPE_STAGE_LIST(IRQSCOPE_DECLARE_STAGE)
#undef IRQSCOPE_DECLARE_STAGE

/* irq.c */
int irqscope_irq_request(struct irqscope *scope, irq_handler_t handler);
void irqscope_irq_free(struct irqscope *scope);
int irqscope_irq_probe(struct irqscope *scope);

/* user.c */
void irqscope_user_init(struct irqscope *scope);
void irqscope_user_wake(struct irqscope *scope);
void irqscope_user_hand(struct irqscope *scope, u64 token, u64 cycles);
int irqscope_user_register(void);
void irqscope_user_unregister(void);

/* user_edge.c */
int irqscope_user_edge_init(struct irqscope *scope);
void irqscope_user_edge_free(struct irqscope *scope);
int irqscope_user_edge_mmap(struct irqscope *scope, struct vm_area_struct *vma);
void irqscope_user_edge_offer(struct irqscope *scope);
void irqscope_user_edge_made(struct irqscope *scope);
void irqscope_user_edge_withdraw(struct irqscope *scope);

/* probing.c */
unsigned long irqscope_probing_wanted(const struct irqscope *scope);
int irqscope_probing_get(struct irqscope *scope, unsigned long sets);
void irqscope_probing_put(struct irqscope *scope, unsigned long sets);
void irqscope_probing_put_later(struct irqscope *scope, unsigned long sets);
void irqscope_probing_settle(struct irqscope *scope);
void irqscope_probing_init(struct irqscope *scope);

/* sleep.c */
int irqscope_sleep_register(struct irqscope *scope);
void irqscope_sleep_unregister(struct irqscope *scope);
bool irqscope_sleep_is_wanted(const struct irqscope *scope);
bool irqscope_sleep_next(struct irqscope *scope, struct irqscope_call *call);
bool irqscope_sleep_is_asked(const struct irqscope *scope);

/* sched.c */
int irqscope_sched_apply(struct task_struct *task, const struct irqscope_sched *sched);

/* memory.c */
bool irqscope_memory_watched(void);
bool irqscope_memory_is(const struct irqscope_port *port);
u32 irqscope_memory_word(const u64 *word);
int irqscope_memory_map(struct vm_area_struct *vma);
int irqscope_memory_register(void);
void irqscope_memory_unregister(void);

/* trigger.c, timer.c, inject.c, sleep.c */
extern const char *const irqscope_trigger_names[];
#define IRQSCOPE_DECLARE_TRIGGER(number, name) \
	extern const struct irqscope_trigger_ops irqscope_##name##_trigger;
IRQSCOPE_TRIGGER_LIST(IRQSCOPE_DECLARE_TRIGGER)
#undef IRQSCOPE_DECLARE_TRIGGER
const struct irqscope_trigger_ops *irqscope_trigger_ops(u32 trigger);
bool irqscope_inject_is_asked(const struct irqscope *scope);
int irqscope_inject_now(struct irqscope *scope, struct irqscope_injection *injection);
void irqscope_inject_init(struct irqscope *scope);

/* line.c */
extern const char *const irqscope_line_names[];
int irqscope_line_claim(struct irqscope *scope);
void irqscope_line_arm(struct irqscope *scope);
void irqscope_line_disarm(struct irqscope *scope);
void irqscope_line_release(struct irqscope *scope);
bool irqscope_line_available(u32 line);
bool irqscope_line_injects(u32 line);

/* cost.c */
int irqscope_cost_measure(struct irqscope *scope);

/* settings.c, stages_setting.c, status.c */
extern const struct attribute_group *irqscope_groups[];
extern const struct attribute_group irqscope_settings_group;
extern struct device_attribute irqscope_stages_attribute;
extern struct device_attribute irqscope_available_stages_attribute;
int irqscope_settings_lock(const char *name);
int irqscope_choice_find(const char *const *names, const char *text);
void irqscope_settings_init(struct irqscope *scope);

#endif /* IRQSCOPE_INTERNAL_H */
