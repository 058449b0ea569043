// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of one sample: open, start, answer, close, publish.
 *
 * Everything but irqscope_close_all() runs in the context of a trigger or a
 * stage. These may race: stages of one sample with each other, on several CPUs;
 * a stage with a closer, for its token; never two triggers.
 */
#include "hot.h"

static u32 irqscope_sample_others(const struct irqscope *scope)
{
	return scope->settings.stages & ~BIT(IRQSCOPE_IRQ);
}

static bool irqscope_sample_takes_turns(const struct irqscope *scope)
{
	return scope->settings.mode == IRQSCOPE_ISOLATED && irqscope_sample_others(scope);
}

/* Returns whose turn the next trigger is; there are others than irq. */
static u32 irqscope_sample_next(const struct irqscope *scope)
{
	u32 others = irqscope_sample_others(scope);
	u32 turn = READ_ONCE(scope->turn);
	u32 later = others & ~(BIT(turn) | (BIT(turn) - 1));

	return READ_ONCE(scope->turn_left) ? turn : __ffs(later ?: others);
}

/**
 * irqscope_sample_turn() - take the next trigger of a turn, or of the next turn
 * @scope: the scope
 *
 * Called once for each call of the handler, and only then: an observer that sees
 * the edges of stage irq knows whose turn it is by counting them.
 *
 * Return: the mask of the stages that this trigger asks
 */
u32 irqscope_sample_turn(struct irqscope *scope)
{
	u32 stages = scope->settings.stages;

	if (!irqscope_sample_takes_turns(scope))
		return stages;
	/* The CPU that injects looks at both (irqscope_sample_unanswered()). */
	WRITE_ONCE(scope->turn, irqscope_sample_next(scope));
	WRITE_ONCE(scope->turn_left, (scope->turn_left ?: scope->settings.turn_length) - 1);
	return (stages & BIT(IRQSCOPE_IRQ)) | BIT(scope->turn);
}

/* Returns the stages of a trigger that the handler is never called for. */
static u32 irqscope_sample_unanswered(const struct irqscope *scope)
{
	u32 stages = scope->settings.stages;

	if (!irqscope_sample_takes_turns(scope))
		return stages;
	return (stages & BIT(IRQSCOPE_IRQ)) ?: BIT(irqscope_sample_next(scope));
}

/**
 * irqscope_sample_open() - count a trigger and claim a slot for it
 * @scope: the scope
 *
 * The slot was cleared when it was handed back, so that nothing needs to be
 * cleared between the trigger and its stages. The caller holds the sample's
 * one reference.
 *
 * Return: the sample's token, or 0 if its slot is not free (counted).
 */
u64 irqscope_sample_open(struct irqscope *scope)
{
	struct irqscope_buffer *buffer = &scope->buffer;
	struct irqscope_ring *header = buffer->header;
	u64 token = buffer->produced + 1;
	struct irqscope_sample *sample = irqscope_sample(scope, token);
	struct irqscope_flight *flight = irqscope_flight(scope, token);
	u64 seq = header->triggers;

	irqscope_count(&header->triggers);
	/* Pairs with the release in irqscope_ring_release(). */
	if (smp_load_acquire(&sample->state) != IRQSCOPE_SAMPLE_FREE) {
		irqscope_count(&header->overrun);
		return 0;
	}
	WRITE_ONCE(buffer->produced, token);
	sample->seq = seq;
	sample->asked = irqscope_sample_unanswered(scope);
	flight->merged = false;
	flight->missing = false;
	flight->settled = false;
	atomic_set(&flight->references, 1);
	WRITE_ONCE(sample->state, IRQSCOPE_SAMPLE_OPEN);
	return token;
}

static void irqscope_raise(struct irqscope_responder *stage, u64 token,
			   struct irqscope_sample *sample, struct irqscope_flight *flight)
{
	atomic_inc(&flight->references);
	if (static_branch_unlikely(&irqscope_counting)) {
		irqscope_counted_raise(stage, token);
		return;
	}
	if (likely(atomic64_cmpxchg(&stage->pending, 0, token) == 0)) {
		stage->ops->raise(stage);
		return;
	}
	sample->responses[stage->index].flags = IRQSCOPE_MERGED;
	flight->merged = true;
	atomic_dec(&flight->references); /* the trigger's is still held */
}

/**
 * irqscope_sample_start() - answer stage irq and raise the other ones
 * @scope: the scope
 * @token: the sample
 * @cycles: stamp of the hard handler, in which this is called
 *
 * Interrupts are counted from here on: all that stands between the trigger
 * and this handler, our own interrupt included, has been counted already.
 * The handler's own execution time comes last: the others are asked for by
 * then.
 */
void irqscope_sample_start(struct irqscope *scope, u64 token, u64 cycles)
{
	struct irqscope_sample *sample = irqscope_sample(scope, token);
	struct irqscope_flight *flight = irqscope_flight(scope, token);
	struct irqscope_response *response = &sample->responses[IRQSCOPE_IRQ];
	unsigned long others;
	unsigned int index;

	sample->asked = irqscope_sample_turn(scope);
	others = sample->asked & ~BIT(IRQSCOPE_IRQ);
	flight->cpu = smp_processor_id();
	flight->interrupts = irqscope_interrupts(flight->cpu) - scope->own_interrupts;
	if (sample->asked & BIT(IRQSCOPE_IRQ)) {
		response->cycles = cycles;
		response->cpu = flight->cpu;
		response->flags = IRQSCOPE_ANSWERED;
	}
	if (static_branch_unlikely(&irqscope_counting))
		irqscope_counted_chain(scope, token);
	for_each_set_bit(index, &others, IRQSCOPE_STAGES)
		irqscope_raise(&scope->stages[index], token, sample, flight);
	if (static_branch_unlikely(&irqscope_explaining))
		irqscope_context_triggered(scope, sample->seq, cycles);
	if (static_branch_unlikely(&irqscope_executing))
		sample->executed[IRQSCOPE_IRQ] =
			irqscope_execution_pass(&scope->stages[IRQSCOPE_IRQ], cycles);
}

/* Two stages that come at once, on two CPUs, find the same to within nanoseconds. */
static noinline void irqscope_settle(struct irqscope *scope, u64 token)
{
	struct irqscope_flight *flight = irqscope_flight(scope, token);

	if (READ_ONCE(flight->settled))
		return;
	WRITE_ONCE(flight->settled, true);
	irqscope_clock_settle(scope, irqscope_sample(scope, token));
}

static void irqscope_publish(struct irqscope *scope, u64 token)
{
	struct irqscope_sample *sample = irqscope_sample(scope, token);
	struct irqscope_flight *flight = irqscope_flight(scope, token);
	struct irqscope_ring *header = scope->buffer.header;
	u32 slots = scope->buffer.slots;
	u64 published, waiting;

	irqscope_settle(scope, token);
	irqscope_count_shared(flight->merged ? &header->coalesced :
			      flight->missing ? &header->missing : &header->complete);
	/* Pairs with the reader's acquire: the responses are there before. */
	smp_store_release(&sample->state, IRQSCOPE_SAMPLE_DONE);
	/* The ring may go once all are published: the last access to it. */
	published = irqscope_count_shared(&header->published);
	if (static_branch_unlikely(&irqscope_explaining))
		WRITE_ONCE(scope->interference.closing, true);

	/* Not while another sample is open, unless the ring would run full. */
	waiting = published - READ_ONCE(scope->buffer.released);
	if (!READ_ONCE(scope->wake_wanted) || waiting < slots / 4)
		return;
	if (READ_ONCE(scope->buffer.produced) == published || waiting >= slots / 2) {
		WRITE_ONCE(scope->wake_wanted, false);
		irq_work_queue(&scope->wake);
	}
}

/**
 * irqscope_sample_drop() - drop references of a sample; the last one publishes
 * @scope: the scope
 * @token: the sample
 * @references: how many
 */
void irqscope_sample_drop(struct irqscope *scope, u64 token, int references)
{
	if (atomic_sub_and_test(references, &irqscope_flight(scope, token)->references))
		irqscope_publish(scope, token);
}

static void irqscope_flag_asked(struct irqscope_sample *sample, u32 flag)
{
	unsigned long asked = sample->asked;
	unsigned int index;

	for_each_set_bit(index, &asked, IRQSCOPE_STAGES)
		sample->responses[index].flags = flag;
}

/**
 * irqscope_sample_merge() - its trigger met one that was not handled yet
 * @scope: the scope
 * @token: the sample, of which no stage was raised
 */
void irqscope_sample_merge(struct irqscope *scope, u64 token)
{
	irqscope_flag_asked(irqscope_sample(scope, token), IRQSCOPE_MERGED);
	irqscope_flight(scope, token)->merged = true;
}

/**
 * irqscope_sample_miss() - its trigger never reached the handler
 * @scope: the scope
 * @token: the sample, of which no stage was raised
 */
void irqscope_sample_miss(struct irqscope *scope, u64 token)
{
	irqscope_flag_asked(irqscope_sample(scope, token), IRQSCOPE_MISSING);
	irqscope_flight(scope, token)->missing = true;
}

/**
 * irqscope_spurious() - count an entry into a stage that was not asked for
 * @scope: the scope
 */
void irqscope_spurious(struct irqscope *scope)
{
	irqscope_count_shared(&scope->buffer.header->spurious);
}

/**
 * irqscope_answer_token() - fill in a response whose token was taken
 * @stage: the stage
 * @token: what was taken from @stage->pending
 * @cycles: its stamp
 * @executed: cycles that it executed since
 */
void irqscope_answer_token(struct irqscope_responder *stage, u64 token, u64 cycles,
			   u64 executed)
{
	struct irqscope *scope = stage->scope;
	struct irqscope_flight *flight = irqscope_flight(scope, token);
	struct irqscope_response *response =
		&irqscope_sample(scope, token)->responses[stage->index];
	unsigned int cpu = raw_smp_processor_id();
	s64 interrupts = 0;
	bool again;

	/* Several points of the grid may share an interrupt: never below zero. */
	if (cpu == flight->cpu)
		interrupts = irqscope_interrupts(cpu) - READ_ONCE(scope->own_interrupts) -
			     flight->interrupts;
	if (interrupts > 0)
		response->interrupts = min_t(s64, interrupts, U16_MAX);
	response->cycles = cycles;
	response->cpu = cpu;
	response->flags = IRQSCOPE_ANSWERED;
	if (static_branch_unlikely(&irqscope_executing))
		irqscope_sample(scope, token)->executed[stage->index] = executed;
	if (scope->trigger->expires)
		irqscope_settle(scope, token);
	again = static_branch_unlikely(&irqscope_counting) && irqscope_counted_settle(stage, token);
	irqscope_sample_drop(scope, token, 1);
	if (again)
		irqscope_counted_again(stage);
}

/**
 * irqscope_answer() - take what is pending for a stage and answer it
 * @stage: the stage, whose mechanism can be raised again by now
 * @cycles: from irqscope_enter()
 */
void irqscope_answer(struct irqscope_responder *stage, u64 cycles)
{
	u64 token = atomic64_xchg(&stage->pending, 0);
	u64 executed = irqscope_execute(stage, cycles);

	if (unlikely(!token))
		irqscope_spurious(stage->scope);
	else if (static_branch_unlikely(&irqscope_bare))
		irqscope_bare_answer(stage);
	else
		irqscope_answer_token(stage, token, cycles, executed);
}

/* Marks one trigger's response as missing; its token was taken. */
static void irqscope_close_token(struct irqscope_responder *stage, u64 token)
{
	struct irqscope *scope = stage->scope;

	if (stage->index == IRQSCOPE_IRQ) {
		irqscope_sample_miss(scope, token);
	} else {
		irqscope_sample(scope, token)->responses[stage->index].flags = IRQSCOPE_MISSING;
		WRITE_ONCE(irqscope_flight(scope, token)->missing, true);
	}
	irqscope_sample_drop(scope, token, 1);
}

/**
 * irqscope_close_stage() - mark what is pending for a stage as missing
 * @stage: the stage
 *
 * The stage itself may come at the same time: one of both gets the token.
 * If stage irq is pending, no other stage of that sample has been raised.
 */
void irqscope_close_stage(struct irqscope_responder *stage)
{
	bool counted = stage->index != IRQSCOPE_IRQ && static_branch_unlikely(&irqscope_counting);
	bool more;
	u64 token;

	do {
		token = atomic64_read(&stage->pending);
		if (!token || atomic64_cmpxchg(&stage->pending, token, 0) != token)
			return;
		more = counted && irqscope_counted_settle(stage, token);
		if (static_branch_unlikely(&irqscope_bare))
			irqscope_bare_answer(stage);
		else
			irqscope_close_token(stage, token);
	} while (more);
}

/**
 * irqscope_close_all() - mark all that is pending as missing
 * @scope: the scope
 */
void irqscope_close_all(struct irqscope *scope)
{
	unsigned int index;

	for (index = 0; index < IRQSCOPE_STAGES; index++)
		irqscope_close_stage(&scope->stages[index]);
}

/**
 * irqscope_samples_open() - how many samples are not published yet
 * @scope: the scope
 *
 * Return: their number; inside off: how many stages have not answered yet
 */
u64 irqscope_samples_open(const struct irqscope *scope)
{
	/* Before the other number, which is then never the smaller one; its samples are done. */
	u64 published = smp_load_acquire(&scope->buffer.header->published);

	if (static_branch_unlikely(&irqscope_bare))
		return irqscope_bare_pending(scope);
	return READ_ONCE(scope->buffer.produced) - published;
}
