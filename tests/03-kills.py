# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Kills a part of a measurement with SIGKILL, again and again, and looks at what is left."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

WORK, PROGRAM, KILLS, SEED = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
COUNT = 1200
KERNELS = ["6.1", "6.12-rt"]
LIMIT = 120  # seconds in which a program must have ended whose part was killed
RUN = [PROGRAM, "run", "tests/scenarios/quick.toml", "--count", str(COUNT), "--no-report"]
BENCH = [PROGRAM, "bench", "sched", "gtod", "-l", "400"]
LOST, KILLED = 3, -signal.SIGKILL

# A program that was built without its page is given one.
PAGE = ["--page", os.environ["PAGE"]] if "PAGE" in os.environ else []
draw = random.Random(SEED)


def children(pid):
    """Returns all processes below one, with their command lines."""
    below, found = {}, []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                below.setdefault(parent, []).append(int(entry.name))
            except OSError:
                pass
    todo = list(below.get(pid, []))
    while todo:
        child = todo.pop()
        todo += below.get(child, [])
        try:
            found.append((child, Path(f"/proc/{child}/cmdline").read_bytes().replace(b"\0", b" ").decode()))
        except OSError:
            pass
    return found


def part(pid, name):
    """Returns the process below one whose program is called so."""
    for child, command in children(pid):
        if name in command.split(" ")[0].rsplit("/", 1)[-1]:
            return child
    return None


def samples(run):
    """Reads a run as a user does; returns the number of its samples."""
    done = subprocess.run([PROGRAM, "report", run, "--json"], capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode in (0, 1, 3, 4), f"report of {run}: {done.returncode}\n{done.stderr}"
    summary = json.loads(done.stdout)
    count = 0
    for case in summary["cases"]:
        count += (case.get("outside") or {}).get("triggers", 0)
        count += sum(bench["count"] for bench in case.get("benchmarks") or [])
    return count


def wait_for(what, condition, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"not within {seconds} s: {what}")


def log_of(run):
    return run / "run.log"


def judge(run, before, pid_tree):
    """Looks at what a kill left of a run; `before` is its log as it was just before."""
    for pid in pid_tree:
        wait_for(f"process {pid} is gone", lambda pid=pid: not alive(pid), 30)
    if not (run / "manifest.json").exists():
        assert not before, f"{run}: there is a log without a manifest"
        return 0, 0
    after = log_of(run).read_bytes() if log_of(run).exists() else b""
    assert after.startswith(before), f"{run}: the log lost what it had"
    whole = json.loads((run / "manifest.json").read_text())["complete"]
    had = 0
    if before:
        copy = run.with_name(run.name + "-before")
        copy.mkdir()
        (copy / "run.log").write_bytes(before)
        shutil.copy(run / "manifest.json", copy)
        had = samples(copy)
    has = samples(run) if after else 0
    assert has >= had, f"{run}: {has} samples, and there were {had}"
    return has, whole


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def started(command, run):
    log = open(run.with_suffix(".said"), "wb")
    return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)


def strike(process, run, victim, latest):
    """Kills a process at a random instant; returns the log as it was just before, and the tree."""
    time.sleep(draw.uniform(0, latest))
    tree = [pid for pid, _ in children(process.pid)]
    before = log_of(run).read_bytes() if log_of(run).exists() else b""
    try:
        os.kill(victim, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return before, tree


def of_run(number, name):
    """Kills the program itself, or the part of it that is called `name`."""
    run = WORK / f"run-{number}"
    bench = name == "irqscope-agent"
    kernel = draw.choice(KERNELS)
    command = [*(BENCH if bench else [*RUN, "--kernel", kernel]), "--out", str(run)]
    process = started(command, run)
    victim = process.pid
    if name:
        victim = wait_for(name, lambda: part(process.pid, name) or process.poll() is not None)
    if victim is True:
        raise AssertionError(f"{run}: ended before {name} was there")
    before, tree = strike(process, run, victim, 2.5 if name else 4)
    status = process.wait(LIMIT)
    has, whole = judge(run, before, tree)
    # A kill may come when all is done. The program may have said so before it was killed itself.
    said = run.with_suffix(".said").read_text()
    assert status in (0, LOST if name else KILLED), f"{run}: status {status}\n{said}"
    assert status != LOST or not whole, f"{run}: status {status}, and marked complete"
    return has


def of_server(number, _):
    """Kills the page's server while it measures."""
    runs = WORK / f"run-{number}"
    runs.mkdir()
    process = started([PROGRAM, "serve", "--port", "0", "--runs", str(runs), *PAGE], runs)
    said = runs.with_suffix(".said")
    place = wait_for("server", lambda: [w for w in said.read_text().split() if w.startswith("http://")])[0]
    body = {"scenario": "demo", "kernels": [draw.choice(KERNELS)], "states": ["idle"], "count": COUNT, "explain": False}
    request = urllib.request.Request(
        place.rstrip("/") + "/api/scenario/start",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "Origin": place.rstrip("/")},
    )
    urllib.request.urlopen(request, timeout=30).read()
    time.sleep(draw.uniform(0, 4))
    found = [path for path in runs.iterdir() if path.is_dir()]
    run = found[0] if found else None
    tree = [pid for pid, _ in children(process.pid)]
    before = log_of(run).read_bytes() if run and log_of(run).exists() else b""
    process.kill()
    assert process.wait(LIMIT) == KILLED
    return judge(run, before, tree)[0] if run else 0


VICTIMS = [("irqscope", of_run, None), ("QEMU", of_run, "qemu-system-x86_64"),
           ("agent", of_run, "irqscope-agent"), ("server", of_server, None)]


def of_a_probe():
    """Kills QEMU while only its version is asked for: the rig was lost, and there is nothing to mend."""
    folder = WORK / "probe"
    folder.mkdir()
    qemu = folder / "qemu-system-x86_64"
    qemu.write_text("#!/bin/sh\nkill -KILL $$\n")
    qemu.chmod(0o755)
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    command = [*RUN, "--kernel", KERNELS[0], "--out", str(folder / "run")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == LOST, f"status {done.returncode}: {done.stderr}"
    assert "qemu-system-x86_64 was killed (signal: 9 (SIGKILL))" in done.stderr, done.stderr
    assert "remedy" not in done.stderr, done.stderr
    shutil.rmtree(folder)


def main():
    print(f"seed {SEED}")
    of_a_probe()
    counts, kept = dict.fromkeys([name for name, *_ in VICTIMS], 0), 0
    for number in range(KILLS * len(VICTIMS)):
        name, kill, what = VICTIMS[number % len(VICTIMS)]
        kept += kill(number, what)
        counts[name] += 1
        for left in WORK.glob(f"run-{number}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        if number % 40 == 39:
            print(f"{number + 1} kills, {kept} samples kept", flush=True)
    subprocess.run([PROGRAM, "cache", "list"], check=True, stdout=subprocess.DEVNULL)
    left = os.listdir(os.environ["TMPDIR"])
    assert not left, f"left behind: {left}"
    print(", ".join(f"{count} of {name}" for name, count in counts.items()), f"killed; {kept} samples were kept")


main()
