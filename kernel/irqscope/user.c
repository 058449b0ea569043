// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stage user: a thread of user space that blocks in read().
 *
 * It takes the counter itself as its first act and hands the reading in with
 * write(); the driver believes it only if it lies between its own two readings
 * at the end of read() and at the beginning of write(). The CPU and the count of
 * interrupts are those of write(); so is the edge, unless the thread has made it
 * itself (user_edge.c). With inside off the counter is not read: a zero is handed in.
 *
 * One thread reads and writes. Others of its process may have the same file: what
 * they read and write is then mixed up, and nothing else is.
 *
 * With execution times it answers twice, before and after what it is given to
 * execute: the line rises with the first write() and falls with the second.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/uaccess.h>

#include "hot.h"

static bool irqscope_user_run_over(const struct irqscope *scope)
{
	return READ_ONCE(scope->runs_ended) != READ_ONCE(scope->user.runs_seen);
}

/* The token to hand out: pending, and its sequence number is there. */
static u64 irqscope_user_called(const struct irqscope *scope)
{
	u64 token = atomic64_read(&scope->stages[IRQSCOPE_USER].pending);

	/* Pairs with the release in irqscope_user_raise(). */
	return smp_load_acquire(&scope->user.ready) == token ? token : 0;
}

static bool irqscope_user_wanted(const struct irqscope *scope)
{
	if (irqscope_user_run_over(scope))
		return true;
	return irqscope_sleep_is_asked(scope) ? irqscope_sleep_is_wanted(scope) :
						irqscope_user_called(scope) != 0;
}

/* A call that is wanted now may be closed before it is looked at: O_NONBLOCK never sleeps. */
static int irqscope_user_wait(struct irqscope *scope, const struct file *file)
{
	if (file->f_flags & O_NONBLOCK)
		return irqscope_user_wanted(scope) ? 0 : -EAGAIN;
	if (swait_event_interruptible_exclusive(scope->user.queue, irqscope_user_wanted(scope)))
		return -EINTR;
	return 0;
}

/* A trigger's call; of trigger sleep the token is there when the sleep is over. */
static bool irqscope_user_call(struct irqscope *scope, struct irqscope_call *call)
{
	struct irqscope_user *user = &scope->user;
	u64 token = 0;

	*call = (struct irqscope_call){ };
	if (irqscope_sleep_is_asked(scope)) {
		if (!irqscope_sleep_next(scope, call))
			return false;
	} else {
		token = irqscope_user_called(scope);
		if (!token)
			return false;
		call->seq = READ_ONCE(user->seq);
		call->number = token;
	}
	if (static_branch_unlikely(&irqscope_executing))
		call->rounds = irqscope_execution_next(&scope->stages[IRQSCOPE_USER]);
	WRITE_ONCE(user->begun, false); /* whatever became of the sample before */
	WRITE_ONCE(user->handed_token, token);
	WRITE_ONCE(user->handed_seq, call->seq);
	WRITE_ONCE(user->handed_cycles, irqscope_stamp());
	return true;
}

static ssize_t irqscope_user_read(struct file *file, char __user *to, size_t length,
				  loff_t *position)
{
	struct irqscope *scope = file->private_data;
	struct irqscope_user *user = &scope->user;
	struct irqscope_call call;

	if (length < sizeof(call))
		return -EINVAL;
	do {
		int err = irqscope_user_wait(scope, file);

		if (err)
			return err;
		/* A run's end is reported before the next run's first call. */
		if (irqscope_user_run_over(scope)) {
			WRITE_ONCE(user->runs_seen, READ_ONCE(scope->runs_ended));
			return 0;
		}
	} while (!irqscope_user_call(scope, &call)); /* closed between waking up and here */
	if (!copy_to_user(to, &call, sizeof(call)))
		return sizeof(call);
	WRITE_ONCE(user->handed_token, 0);
	return -EFAULT;
}

static __always_inline void irqscope_user_toggle(struct irqscope_responder *stage, bool ends)
{
	if (unlikely(ends))
		irqscope_fall(stage);
	else
		irqscope_toggle(stage);
	if (unlikely(READ_ONCE(stage->scope->user.way) != IRQSCOPE_EDGE_WRITE))
		irqscope_user_edge_made(stage->scope);
}

/*
 * The stamp and the edge, if the stage owes an answer: of what nothing asked for, or
 * what the end of a run has closed, there is no edge, nor of an answer whose edge
 * is @made. With preemption off, so that the end of a run can wait for it before it
 * takes the line away.
 */
static __always_inline bool irqscope_user_owes(struct irqscope_responder *stage, u64 token,
					       bool ends, bool made, u64 *now)
{
	bool owed;

	preempt_disable();
	owed = likely(token && atomic64_read(&stage->pending) == token);
	if (owed) {
		irqscope_delay(stage);
		*now = irqscope_stamp();
		if (!made)
			irqscope_user_toggle(stage, ends);
	}
	preempt_enable();
	return owed;
}

/* The edge is made, so the sample gets no other one: it stays without an answer. */
static int irqscope_user_refuse(struct irqscope *scope, int err)
{
	WRITE_ONCE(scope->user.handed_token, 0);
	WRITE_ONCE(scope->user.begun, false);
	irqscope_close_stage(&scope->stages[IRQSCOPE_USER]);
	return err;
}

/* Has the thread made its edge? The answer says so, and is read here for that alone. */
static __always_inline bool irqscope_user_made(const struct irqscope_user *user,
					       const struct irqscope_answer __user *answer)
{
	u64 edge;

	return unlikely(READ_ONCE(user->way) != IRQSCOPE_EDGE_WRITE) &&
	       !get_user(edge, &answer->edge) && edge;
}

/* The thread has answered, too late: there is nothing to wait for. */
static int irqscope_user_late(struct irqscope_user *user)
{
	WRITE_ONCE(user->handed_token, 0);
	return -ESTALE;
}

static ssize_t irqscope_user_write(struct file *file, const char __user *from,
				   size_t length, loff_t *position)
{
	struct irqscope *scope = file->private_data;
	struct irqscope_responder *stage = &scope->stages[IRQSCOPE_USER];
	struct irqscope_user *user = &scope->user;
	struct irqscope_answer answer;
	bool ends = static_branch_unlikely(&irqscope_executing) && READ_ONCE(user->begun);
	u64 token = READ_ONCE(user->handed_token);
	u64 handed, begun, now;
	bool made;

	if (unlikely(length != sizeof(answer)))
		return -EINVAL;
	made = irqscope_user_made(user, (const struct irqscope_answer __user *)from);
	if (unlikely(!irqscope_user_owes(stage, token, ends, made, &now)))
		return irqscope_user_late(user);
	if (copy_from_user(&answer, from, sizeof(answer)))
		return irqscope_user_refuse(scope, -EFAULT);
	handed = READ_ONCE(user->handed_cycles);
	if (answer.seq != READ_ONCE(user->handed_seq) || answer.cycles - handed > now - handed)
		return irqscope_user_refuse(scope, -EINVAL);
	if (static_branch_unlikely(&irqscope_executing) && !ends) {
		WRITE_ONCE(user->begun_cycles, answer.cycles);
		WRITE_ONCE(user->begun, true);
		return sizeof(answer);
	}
	begun = READ_ONCE(user->begun_cycles);
	WRITE_ONCE(user->begun, false);
	/* A token is never used twice: this takes what read() handed out. */
	if (atomic64_cmpxchg(&stage->pending, token, 0) != token)
		return irqscope_user_late(user);
	WRITE_ONCE(user->handed_token, 0);
	if (static_branch_unlikely(&irqscope_bare))
		irqscope_bare_answer(stage);
	else
		irqscope_answer_token(stage, token, ends ? begun : answer.cycles,
				      ends ? answer.cycles - begun : 0);
	return sizeof(answer);
}

static int irqscope_user_open(struct inode *inode, struct file *file)
{
	struct irqscope *scope = irqscope_opener_get();
	struct irqscope_user *user;

	if (!scope)
		return -ENODEV;
	user = &scope->user;
	if (test_and_set_bit(0, &user->opened))
		return -EBUSY;
	WRITE_ONCE(user->handed_token, 0);
	WRITE_ONCE(user->begun, false);
	WRITE_ONCE(user->runs_seen, READ_ONCE(scope->runs_ended));
	file->private_data = scope;
	WRITE_ONCE(user->present, true);
	return stream_open(inode, file);
}

/* A run whose triggers its thread makes cannot go on without it. */
static void irqscope_user_stop_sleeping(struct irqscope *scope)
{
	bool asked;

	/* A run that begins has seen it present under control, or will not. */
	mutex_lock(&scope->control);
	asked = irqscope_sleep_is_asked(scope);
	mutex_unlock(&scope->control);
	if (asked)
		irqscope_run_stop(scope, IRQSCOPE_SLEEPER_GONE, 0);
}

static int irqscope_user_release(struct inode *inode, struct file *file)
{
	struct irqscope *scope = file->private_data;

	WRITE_ONCE(scope->user.present, false);
	WRITE_ONCE(scope->user.handed_token, 0);
	/* Pairs with irqscope_user_raise(): one of both closes the sample. */
	smp_mb();
	irqscope_close_stage(&scope->stages[IRQSCOPE_USER]);
	irqscope_user_stop_sleeping(scope);
	clear_bit_unlock(0, &scope->user.opened);
	return 0;
}

static int irqscope_user_mmap(struct file *file, struct vm_area_struct *vma)
{
	return irqscope_user_edge_mmap(file->private_data, vma);
}

static const struct file_operations irqscope_user_fops = {
	.owner = THIS_MODULE,
	.open = irqscope_user_open,
	.release = irqscope_user_release,
	.read = irqscope_user_read,
	.write = irqscope_user_write,
	.mmap = irqscope_user_mmap,
};

static struct miscdevice irqscope_user_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqscope-user",
	.fops = &irqscope_user_fops,
};

static int irqscope_user_prepare(struct irqscope_responder *stage)
{
	WRITE_ONCE(stage->scope->user.ready, 0);
	return 0;
}

static void irqscope_user_raise(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;
	u64 token = atomic64_read(&stage->pending);

	/* The cmpxchg that made it pending was a full barrier. */
	if (unlikely(!READ_ONCE(scope->user.present) || !token)) {
		irqscope_close_stage(stage);
		return;
	}
	WRITE_ONCE(scope->user.seq, static_branch_unlikely(&irqscope_bare) ?
				    token - 1 : irqscope_sample(scope, token)->seq);
	/* Pairs with the acquire in irqscope_user_called(). */
	smp_store_release(&scope->user.ready, token);
	swake_up_one(&scope->user.queue); /* allowed in a hard interrupt on RT */
}

static void irqscope_user_unprepare(struct irqscope_responder *stage)
{
}

const struct irqscope_stage_ops irqscope_user_stage = {
	.prepare = irqscope_user_prepare,
	.raise = irqscope_user_raise,
	.unprepare = irqscope_user_unprepare,
};

/**
 * irqscope_user_wake() - let the reader look what it has to do
 * @scope: the scope, with runs_ended raised, or with sleeps to hand out
 */
void irqscope_user_wake(struct irqscope *scope)
{
	swake_up_all(&scope->user.queue);
}

/**
 * irqscope_user_hand() - take the answer to a sleep that is over
 * @scope: the scope
 * @token: the sample's
 * @cycles: when the timer's interrupt saw that
 */
void irqscope_user_hand(struct irqscope *scope, u64 token, u64 cycles)
{
	WRITE_ONCE(scope->user.handed_token, token);
	WRITE_ONCE(scope->user.handed_seq, irqscope_sample(scope, token)->seq);
	WRITE_ONCE(scope->user.handed_cycles, cycles);
}

/**
 * irqscope_user_init() - make the stage's queue
 * @scope: the scope
 */
void irqscope_user_init(struct irqscope *scope)
{
	init_swait_queue_head(&scope->user.queue);
}

/**
 * irqscope_user_register() - make /dev/irqscope-user
 *
 * Return: 0 or a negative errno
 */
int irqscope_user_register(void)
{
	return misc_register(&irqscope_user_device);
}

/**
 * irqscope_user_unregister() - remove /dev/irqscope-user
 */
void irqscope_user_unregister(void)
{
	misc_deregister(&irqscope_user_device);
}
