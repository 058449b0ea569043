// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seeded random numbers for jitter and execution times, in integers only.
 */
#include <linux/bitops.h>
#include <linux/math64.h>

#include "internal.h"

#define LN2_Q32		2977044472ULL

/* splitmix64: any seed is good, and it has no state but a counter. */
static u64 irqscope_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/*
 * -log2(x / 2^32) in 16.16 for 1 <= x < 2^32: the position of the highest bit
 * gives the integer; each squaring of the mantissa gives one bit more.
 */
static u32 irqscope_minus_log2(u32 x)
{
	int high = fls(x) - 1;
	u64 mantissa = (u64)x << (31 - high); /* 1.31 */
	u32 log2 = high << 16;
	int bit;

	for (bit = 15; bit >= 0; bit--) {
		mantissa = mantissa * mantissa >> 31;
		if (mantissa >> 32) {
			mantissa >>= 1;
			log2 |= BIT(bit);
		}
	}
	return (32 << 16) - log2;
}

/**
 * irqscope_random_below() - draw from a uniform distribution
 * @state: of the generator
 * @end: how many values there are
 *
 * Return: 0 to @end - 1
 */
u64 irqscope_random_below(u64 *state, u64 end)
{
	return mul_u64_u32_shr(end, irqscope_random(state) >> 32, 32);
}

/**
 * irqscope_random_exponential() - draw from an exponential distribution
 * @state: of the generator
 * @mean: its mean
 *
 * -mean ln(u) = -mean log2(u) ln 2, with u in steps of 2^-32.
 *
 * Return: 0 to about 22 times @mean
 */
u64 irqscope_random_exponential(u64 *state, u64 mean)
{
	u32 random = irqscope_random(state) >> 32;

	return mul_u64_u64_div_u64(mean * irqscope_minus_log2(random | 1), LN2_Q32, 1ULL << 48);
}
