#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""boot-arm64.py [--dtb FILE] KERNEL AGENT "MODULE [PARAMETERS]"...

Boots KERNEL (a directory of the cache) on the twin's arm64 machine with AGENT as
first process, which loads the modules and, having no plan, ends. Prints the
console.
"""
import pathlib
import subprocess
import sys
import tempfile

MACHINE = """qemu-system-aarch64 -machine virt,gic-version=2,dtb-randomness=off
 -cpu cortex-a72,cntfrq=1000000000 -smp 1 -m 256 -accel tcg -icount shift=1,sleep=off
 -rtc base=2026-01-01,clock=vm -nodefaults -display none -no-reboot -serial stdio""".split()
DIRECTORY, FILE, PROGRAM = 0o040755, 0o100644, 0o100755


def entry(name, mode, contents=b""):
    fields = [1, mode, 0, 0, 1, 0, len(contents), 0, 0, 0, 0, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + contents + bytes(-len(contents) % 4)


words = sys.argv[1:]
if words[0] == "--dtb":
    MACHINE += ["-dtb", words[1]]
    words = words[2:]
kernel, agent, modules = pathlib.Path(words[0]), words[1], words[2:]
archive = b"".join(entry(name, DIRECTORY) for name in ["dev", "proc", "sys", "tmp", "irqscope", "modules"])
archive += entry("init", PROGRAM, pathlib.Path(agent).read_bytes())
loaded = ""
for module in modules:
    path, _, parameters = module.partition(" ")
    name = f"modules/{pathlib.Path(path).name}"
    archive += entry(name, FILE, pathlib.Path(path).read_bytes())
    loaded += f"/{name} {parameters}\n"
archive += entry("irqscope/modules", FILE, loaded.encode()) + entry("TRAILER!!!", 0)
with tempfile.NamedTemporaryFile() as initramfs:
    initramfs.write(archive)
    initramfs.flush()
    boot = ["-kernel", str(kernel / "vmlinuz"), "-initrd", initramfs.name,
            "-append", "console=ttyAMA0 loglevel=7 panic=-1 oops=panic nokaslr"]
    ran = subprocess.run(MACHINE + boot, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
sys.stdout.buffer.write(ran.stdout.replace(b"\r", b"") + ran.stderr)
sys.exit(ran.returncode)
