// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * irqscope_ivshmem - QEMU's ivshmem-doorbell as response lines and trigger.
 *
 * A module of its own, so that irqscope.ko itself loads without PCI. The
 * device has three regions: registers, which are not needed here (they ring
 * other machines' doorbells), the MSI-X table, and memory that it shares with
 * a generator on the host. include/irqscope_doorbell.h says what lies where.
 *
 * The memory is plain RAM of the host: a response is one store, which leaves
 * the guest nowhere and is seen by the generator as fast as another CPU's.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/wait.h>

#include "irqscope_doorbell.h"
#include "port.h"

#define DEVICE_IVSHMEM	0x1110
#define REVISION_MSIX	1	/* 0 is the ivshmem of before QEMU 2.6 */
#define BAR_MEMORY	2
#define VECTOR		0

/**
 * struct irqscope_ivshmem - the one device
 * @device: the device; NULL if there is none
 * @memory: its shared memory
 * @irq: its interrupt
 * @claimed: a run uses it
 * @released: where its removal waits for that run's end
 */
struct irqscope_ivshmem {
	struct pci_dev *device;
	struct irqscope_doorbell *memory;
	unsigned int irq;
	bool claimed;
	wait_queue_head_t released;
};

static_assert(IRQSCOPE_DOORBELL_STRIDE == IRQSCOPE_WORD_STRIDE);

static DEFINE_SPINLOCK(irqscope_ivshmem_lock);
static struct irqscope_ivshmem irqscope_ivshmem = {
	.released = __WAIT_QUEUE_HEAD_INITIALIZER(irqscope_ivshmem.released),
};

static int irqscope_ivshmem_claim(struct irqscope_port *port)
{
	struct irqscope_ivshmem *ivshmem = &irqscope_ivshmem;

	spin_lock(&irqscope_ivshmem_lock);
	ivshmem->claimed = ivshmem->device;
	spin_unlock(&irqscope_ivshmem_lock);
	if (!ivshmem->claimed) {
		pr_err("no generator behind an ivshmem-doorbell: give the machine one (rig vm does)\n");
		return -ENODEV;
	}
	port->words = &ivshmem->memory->words[0].shown;
	port->irq = ivshmem->irq;
	return 0;
}

static void irqscope_ivshmem_release(struct irqscope_port *port)
{
	struct irqscope_ivshmem *ivshmem = &irqscope_ivshmem;

	port->words = NULL;
	port->irq = 0;
	spin_lock(&irqscope_ivshmem_lock);
	ivshmem->claimed = false;
	spin_unlock(&irqscope_ivshmem_lock);
	wake_up(&ivshmem->released);
}

static void irqscope_ivshmem_enable_irq(struct irqscope_port *port)
{
	/* Pairs with the generator's acquire: it sees all words at 0 then. */
	virt_store_release(&irqscope_ivshmem.memory->armed, 1);
}

static void irqscope_ivshmem_disable_irq(struct irqscope_port *port)
{
	WRITE_ONCE(irqscope_ivshmem.memory->armed, 0);
}

static struct irqscope_port irqscope_ivshmem_port = {
	.name = "ivshmem",
	.owner = THIS_MODULE,
	.lines = IRQSCOPE_DOORBELL_LINES,
	.claim = irqscope_ivshmem_claim,
	.release = irqscope_ivshmem_release,
	.enable_irq = irqscope_ivshmem_enable_irq,
	.disable_irq = irqscope_ivshmem_disable_irq,
};

/* Other people use ivshmem for other things: write to no memory but our own. */
static int irqscope_ivshmem_check(struct pci_dev *device, const struct irqscope_doorbell *memory)
{
	if (READ_ONCE(memory->magic) != IRQSCOPE_DOORBELL_MAGIC)
		return -ENODEV;
	if (READ_ONCE(memory->version) != IRQSCOPE_DOORBELL_VERSION) {
		pci_err(device, "the generator's doorbell is of version %u, not %u: build driver and generator from the same sources\n",
			READ_ONCE(memory->version), IRQSCOPE_DOORBELL_VERSION);
		return -EPROTO;
	}
	return 0;
}

static struct irqscope_doorbell *irqscope_ivshmem_map(struct pci_dev *device)
{
	resource_size_t size = pci_resource_len(device, BAR_MEMORY);
	struct irqscope_doorbell *memory;
	int err;

	if (size < sizeof(*memory))
		return ERR_PTR(-ENODEV);
	memory = memremap(pci_resource_start(device, BAR_MEMORY), size, MEMREMAP_WB);
	if (!memory)
		return ERR_PTR(-ENOMEM);
	err = irqscope_ivshmem_check(device, memory);
	if (err) {
		memunmap(memory);
		return ERR_PTR(err);
	}
	return memory;
}

/* The first device is the one. */
static int irqscope_ivshmem_offer(struct pci_dev *device, struct irqscope_doorbell *memory)
{
	struct irqscope_ivshmem *ivshmem = &irqscope_ivshmem;
	unsigned int irq = pci_irq_vector(device, VECTOR);
	int err = -EBUSY;

	spin_lock(&irqscope_ivshmem_lock);
	if (!ivshmem->device) {
		ivshmem->device = device;
		ivshmem->memory = memory;
		ivshmem->irq = irq;
		err = 0;
	}
	spin_unlock(&irqscope_ivshmem_lock);
	return err;
}

static int irqscope_ivshmem_probe(struct pci_dev *device, const struct pci_device_id *id)
{
	struct irqscope_doorbell *memory;
	int err;

	if (device->revision < REVISION_MSIX)
		return -ENODEV;
	err = pci_enable_device(device);
	if (err)
		return err;
	err = pci_request_regions(device, KBUILD_MODNAME);
	if (err)
		goto disable_device;
	memory = irqscope_ivshmem_map(device);
	if (IS_ERR(memory)) {
		err = PTR_ERR(memory);
		goto release_regions;
	}
	pci_set_master(device); /* an MSI is a write to memory */
	err = pci_alloc_irq_vectors(device, VECTOR + 1, VECTOR + 1, PCI_IRQ_MSIX);
	if (err < 0)
		goto unmap;
	err = irqscope_ivshmem_offer(device, memory);
	if (err)
		goto free_vectors;
	pci_set_drvdata(device, memory);
	return 0;

free_vectors:
	pci_free_irq_vectors(device);
unmap:
	pci_clear_master(device);
	memunmap(memory);
release_regions:
	pci_release_regions(device);
disable_device:
	pci_disable_device(device);
	return err;
}

static bool irqscope_ivshmem_withdraw(void)
{
	struct irqscope_ivshmem *ivshmem = &irqscope_ivshmem;
	bool withdrawn;

	spin_lock(&irqscope_ivshmem_lock);
	withdrawn = !ivshmem->claimed;
	if (withdrawn)
		ivshmem->device = NULL;
	spin_unlock(&irqscope_ivshmem_lock);
	return withdrawn;
}

/* A run pins this module, but not the device: its removal waits for the run. */
static void irqscope_ivshmem_remove(struct pci_dev *device)
{
	wait_event(irqscope_ivshmem.released, irqscope_ivshmem_withdraw());
	pci_free_irq_vectors(device);
	pci_clear_master(device);
	memunmap(pci_get_drvdata(device));
	pci_release_regions(device);
	pci_disable_device(device);
}

/* Not in a MODULE_DEVICE_TABLE: it is loaded to measure, and only then. */
static const struct pci_device_id irqscope_ivshmem_ids[] = {
	{ PCI_DEVICE(PCI_VENDOR_ID_REDHAT_QUMRANET, DEVICE_IVSHMEM) },
	{ }
};

static struct pci_driver irqscope_ivshmem_driver = {
	.name = KBUILD_MODNAME,
	.id_table = irqscope_ivshmem_ids,
	.probe = irqscope_ivshmem_probe,
	.remove = irqscope_ivshmem_remove,
};

static int __init irqscope_ivshmem_init(void)
{
	int err = pci_register_driver(&irqscope_ivshmem_driver);

	if (err)
		return err;
	err = irqscope_port_register(&irqscope_ivshmem_port);
	if (err)
		pci_unregister_driver(&irqscope_ivshmem_driver);
	return err;
}

static void __exit irqscope_ivshmem_exit(void)
{
	irqscope_port_unregister(&irqscope_ivshmem_port);
	pci_unregister_driver(&irqscope_ivshmem_driver);
}

module_init(irqscope_ivshmem_init);
module_exit(irqscope_ivshmem_exit);

MODULE_DESCRIPTION("QEMU's ivshmem-doorbell for irqscope");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
