#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Decides by probing what a machine cannot do, in this one place.

A check that cannot run says "skipped: KEY: reason". tests/run and scripts/lint ask
here whether the machine lacks KEY indeed, and count the skip as a failure otherwise
(if IRQSCOPE_NO_SKIP=1, as in .ci/run).

  tests/lib/machine.py KEY...   exit 0 if the machine lacks one of them, 1 if it has all
"""
import ctypes
import os
import shutil
import subprocess
import sys


def no_rustup():
    """Debian 12 has no rustup, and its own Rust has no targets for chips or arm64.
    Where apt could install it, its absence is an omission."""
    if shutil.which("rustup"):
        return False
    offered = subprocess.run(["apt-cache", "show", "rustup"], capture_output=True, check=False)
    return offered.returncode != 0


def no_mount():
    """A user namespace or a container may forbid mounts; CAP_SYS_ADMIN alone decides
    nothing, so one is tried, in a mount namespace of a child."""
    newns = 0x20000
    child = os.fork()
    if child == 0:
        libc = ctypes.CDLL(None, use_errno=True)
        mounted = libc.unshare(newns) == 0 and libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0
        os._exit(0 if mounted else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def no_lava():
    """Debian 12 has LAVA's dispatcher, 13 has not."""
    offered = subprocess.run(["apt-cache", "show", "lava-dispatcher"], capture_output=True, check=False)
    return offered.returncode != 0


def no_root():
    return os.geteuid() != 0


def no_net_namespace():
    """A container may forbid network namespaces, to root or to users in a namespace of their own."""
    trials = (["unshare", "--net", "true"], ["unshare", "--map-root-user", "--net", "true"])
    return all(subprocess.run(trial, capture_output=True, check=False).returncode for trial in trials)


PROBES = {
    "rustup": no_rustup,
    "mount": no_mount,
    "root": no_root,
    "namespace": no_net_namespace,
    "lava": no_lava,
}


def cannot(reason):
    """Returns whether the machine lacks what the reason, "KEY: text", names."""
    probe = PROBES.get(reason.partition(":")[0])
    return probe is not None and probe()


if __name__ == "__main__":
    unknown = [key for key in sys.argv[1:] if key not in PROBES]
    if unknown:
        sys.exit(f"machine.py: knows {', '.join(PROBES)}, not {', '.join(unknown)}")
    sys.exit(0 if any(PROBES[key]() for key in sys.argv[1:]) else 1)
