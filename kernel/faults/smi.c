// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A handler for system management interrupts that takes its time.
 *
 * In system management mode the CPU runs firmware; nothing of the kernel runs,
 * and the kernel is not notified. On QEMU's pc machine the firmware (SeaBIOS)
 * does not lock the memory in which its handler lies, so ours can take its
 * place. It holds the CPU by its cycle counter and writes down when, into
 * memory of this module: this record is ground truth for the tests, and the
 * analysis never reads it. The interrupt is raised from outside, by the twin's
 * plugin.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <asm/tsc.h>

#include "faults.h"

/* The Intel 440FX's system management RAM control. */
#define SMRAM_CONTROL	0x72
#define SMRAM_OPEN	BIT(6)
#define SMRAM_CLOSED	BIT(5)
#define SMRAM_LOCKED	BIT(4)
/* Where SeaBIOS has moved the handler's entry. */
#define ENTRY		0xa8000

#define ORDER		4
#define HELD		((PAGE_SIZE << ORDER) / sizeof(struct irqscope_held) - 1)

struct irqscope_held {
	u64 begin;
	u64 end;
};

/* The handler (smm.S) knows these offsets. */
struct irqscope_smm {
	u32 count;
	u32 cycles;	/* how long it holds the CPU */
	u32 room;
	u32 unused;
	struct irqscope_held held[];
};

static struct irqscope_smm *smm;
static u32 told;
static u8 before[256];

/* Puts code where the handler is entered, and keeps what was there. */
static int irqscope_smm_exchange(const u8 *code, u8 *old, size_t length)
{
	struct pci_dev *bridge =
		pci_get_device(PCI_VENDOR_ID_INTEL, PCI_DEVICE_ID_INTEL_82441, NULL);
	void __iomem *entry = ioremap(ENTRY, length);
	unsigned long flags;
	int err = -ENODEV;
	u8 control;

	if (!bridge || !entry)
		goto put;
	pci_read_config_byte(bridge, SMRAM_CONTROL, &control);
	if (control & SMRAM_LOCKED) {
		err = -EPERM;
		goto put;
	}
	local_irq_save(flags);
	pci_write_config_byte(bridge, SMRAM_CONTROL, (control & ~SMRAM_CLOSED) | SMRAM_OPEN);
	if (old)
		memcpy_fromio(old, entry, length);
	memcpy_toio(entry, code, length);
	pci_write_config_byte(bridge, SMRAM_CONTROL, control);
	local_irq_restore(flags);
	err = 0;
put:
	if (entry)
		iounmap(entry);
	pci_dev_put(bridge);
	return err;
}

static size_t irqscope_smm_length(void)
{
	return irqscope_smm_end - irqscope_smm_begin;
}

/**
 * irqscope_smi_prepare() - from now on a system management interrupt takes long
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_smi_prepare(void)
{
	size_t length = irqscope_smm_length();
	u8 code[sizeof(before)];
	u32 address;
	int err;

	BUILD_BUG_ON(sizeof(struct irqscope_smm) != sizeof(struct irqscope_held));
	if (WARN_ON(length + sizeof(address) > sizeof(code)))
		return -EINVAL;
	smm = (void *)__get_free_pages(GFP_KERNEL | GFP_DMA32 | __GFP_ZERO, ORDER);
	if (!smm)
		return -ENOMEM;
	smm->cycles = div_u64((u64)irqscope_fault_length_ns * tsc_khz, 1000000);
	smm->room = HELD;
	told = 0;
	address = virt_to_phys(smm);
	memcpy(code, irqscope_smm_begin, length);
	memcpy(code + length, &address, sizeof(address));
	err = irqscope_smm_exchange(code, before, length + sizeof(address));
	if (err) {
		pr_err("no memory for a handler of SMIs (%d): that needs QEMU's pc machine\n", err);
		free_pages((unsigned long)smm, ORDER);
		smm = NULL;
	}
	return err;
}

/**
 * irqscope_smi_unprepare() - the firmware has its handler back
 *
 * Without effect where there was nothing prepared.
 */
void irqscope_smi_unprepare(void)
{
	if (!smm)
		return;
	irqscope_smm_exchange(before, NULL, irqscope_smm_length() + sizeof(u32));
	free_pages((unsigned long)smm, ORDER);
	smm = NULL;
}

/**
 * irqscope_smi_tell() - write down what the handler did
 */
void irqscope_smi_tell(void)
{
	for (; smm && told < READ_ONCE(smm->count); told++)
		irqscope_fault_note(IRQSCOPE_FAULT_SMI, smm->held[told].begin, smm->held[told].end);
}
