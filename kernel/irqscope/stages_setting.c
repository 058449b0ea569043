// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Settings/stages and available_stages: lists of names.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/device.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "internal.h"

static ssize_t irqscope_stages_emit(char *page, unsigned long mask)
{
	unsigned int index;
	ssize_t length = 0;

	for_each_set_bit(index, &mask, IRQSCOPE_STAGES)
		length += sysfs_emit_at(page, length, "%s%s", length ? " " : "",
					irqscope_stage_name(index));
	return length + sysfs_emit_at(page, length, "\n");
}

static void irqscope_stages_log(const char *name, int length)
{
	unsigned long available = irqscope_stages_available();
	char allowed[160] = "";
	unsigned int index;

	for_each_set_bit(index, &available, IRQSCOPE_STAGES) {
		strlcat(allowed, " ", sizeof(allowed));
		strlcat(allowed, irqscope_stage_name(index), sizeof(allowed));
	}
	pr_err("stages: no stage \"%.*s\" on this kernel, only:%s\n", min(length, 32), name,
	       allowed);
}

/* Names with blanks between them; at least one. */
static int irqscope_stages_parse(const char *text, u32 *mask)
{
	size_t length;
	int index;

	*mask = 0;
	for (text = skip_spaces(text); *text; text = skip_spaces(text + length)) {
		length = strcspn(text, " \t\n");
		index = irqscope_stage_by_name(text, length);
		if (index < 0) {
			irqscope_stages_log(text, length);
			return -EINVAL;
		}
		*mask |= BIT(index);
	}
	if (*mask)
		return 0;
	pr_err("stages: name at least one\n");
	return -EINVAL;
}

static ssize_t stages_show(struct device *device, struct device_attribute *attribute, char *page)
{
	return irqscope_stages_emit(page, READ_ONCE(irqscope.settings.stages));
}

static ssize_t stages_store(struct device *device, struct device_attribute *attribute,
			    const char *text, size_t length)
{
	int err;
	u32 mask;

	err = irqscope_stages_parse(text, &mask);
	if (err)
		return err;
	err = irqscope_settings_lock("stages");
	if (err)
		return err;
	WRITE_ONCE(irqscope.settings.stages, mask);
	mutex_unlock(&irqscope.control);
	return length;
}

struct device_attribute irqscope_stages_attribute =
	__ATTR(stages, 0644, stages_show, stages_store);

static ssize_t available_stages_show(struct device *device, struct device_attribute *attribute,
				     char *page)
{
	return irqscope_stages_emit(page, irqscope_stages_available());
}

struct device_attribute irqscope_available_stages_attribute =
	__ATTR(available_stages, 0444, available_stages_show, NULL);
