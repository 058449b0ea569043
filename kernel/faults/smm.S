/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The handler of system management interrupts; see smi.c, which copies it.
 *
 * It is entered in 16-bit mode, with data segments of 4 GiB from 0 and a code
 * segment that ends up below its first instruction by ENTRY_IP. All registers are
 * the CPU's to restore. It is for one CPU: more would need a memory each.
 */
#define ENTRY_IP	0x8000
/* Offsets in struct irqscope_smm; a struct irqscope_held has 16 bytes. */
#define COUNT		0
#define CYCLES		4
#define ROOM		8
#define HELD_BEGIN	16
#define HELD_END	24

	.section .rodata
	.globl irqscope_smm_begin, irqscope_smm_end
	.code16
irqscope_smm_begin:
	movl	%cs:(ENTRY_IP + irqscope_smm_end - irqscope_smm_begin), %ebx
	rdtsc
	movl	%eax, %esi
	movl	%edx, %edi
1:	rdtsc
	movl	%eax, %ecx
	subl	%esi, %ecx
	cmpl	CYCLES(%ebx), %ecx
	jb	1b
	movl	COUNT(%ebx), %ecx
	cmpl	ROOM(%ebx), %ecx
	jae	2f
	incl	COUNT(%ebx)
	shll	$4, %ecx
	addl	%ebx, %ecx
	movl	%esi, HELD_BEGIN(%ecx)
	movl	%edi, HELD_BEGIN + 4(%ecx)
	movl	%eax, HELD_END(%ecx)
	movl	%edx, HELD_END + 4(%ecx)
2:	rsm
irqscope_smm_end:	/* the address of struct irqscope_smm follows */
