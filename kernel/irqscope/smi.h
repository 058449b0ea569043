/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often firmware took the CPU, where the CPU counts that.
 */
#ifndef IRQSCOPE_SMI_H
#define IRQSCOPE_SMI_H

#include <linux/types.h>

#ifdef CONFIG_X86

#include <asm/msr.h>

#include "compat.h"

/* Those of Intel do since Nehalem, QEMU's too; AMD's refuse the register. */
static inline bool irqscope_smi_is_counted(unsigned int cpu, u32 *count)
{
	u64 value;

	if (irqscope_rdmsr_on_cpu(cpu, MSR_SMI_COUNT, &value))
		return false;
	*count = value;
	return true;
}

static __always_inline u32 irqscope_smi_count(void)
{
	u32 low, __maybe_unused high;

	rdmsr(MSR_SMI_COUNT, low, high);
	return low;
}

#else

static inline bool irqscope_smi_is_counted(unsigned int cpu, u32 *count)
{
	return false;
}

static __always_inline u32 irqscope_smi_count(void)
{
	return 0;
}

#endif

#endif /* IRQSCOPE_SMI_H */
