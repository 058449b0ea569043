# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs in a guest on the virtual clock, where one instruction is 2 ns: how many
instructions one period costs the measured thread of cyclictest and of `bench
sched`, from waking until it sleeps again, the kernel's part included. The
scheduler's own account of the thread (/proc/PID/task/TID/schedstat: run time, and
how often it ran) counts them. The median of many short windows is taken: the guest's
console and clock are served by the host, whose load would change a mean. The period
is no part of the tick's: else all wakeups of a run meet the tick, or none, by the
instant at which it began."""

import os
import statistics
import subprocess
import time

PRIORITY = 80
LOOP = ["-p", str(PRIORITY), "-l", "4000", "-a", "0", "-i"]
INSTRUCTION_NS = 2
WINDOWS = 20
PERIOD_US = "1013"


def measured_thread(pid):
    """Run time in ns and turns until now; none before the thread runs at its priority."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as stat:
                run, _, turns = map(int, stat.read().split())
            priority = os.sched_getparam(int(task)).sched_priority
        except (FileNotFoundError, ProcessLookupError):
            continue  # a thread that has ended since
        if priority == PRIORITY and turns > 100:
            return run, turns
    return None


def instructions(command, interval):
    child = subprocess.Popen([*command, *LOOP, interval], stdout=subprocess.DEVNULL)
    while (first := measured_thread(child.pid)) is None:
        assert child.poll() is None, command
        time.sleep(0.1)
    costs = []
    for _ in range(WINDOWS):
        time.sleep(0.1)
        last = measured_thread(child.pid)
        assert last is not None, f"{command}: ended too early"
        turns = last[1] - first[1]
        assert turns >= 90, f"{command}: {turns} turns in a tenth of a second"
        costs.append((last[0] - first[0]) / turns / INSTRUCTION_NS)
        first = last
    assert child.wait() == 0, command
    print(*command, *(f"{cost:.0f}" for cost in costs))
    return statistics.median(costs)


theirs = instructions(["cyclictest", "-m", "-t", "1", "-q"], PERIOD_US)
ours = instructions(["/exchange/agent", "bench", "sched"], f"{PERIOD_US}us")
print(f"instructions of one period: cyclictest {theirs:.1f}, irqscope {ours:.1f}")
assert ours <= theirs, "ours are more"
