#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Measures the cost of the dashboard's server while samples come fast:

    scripts/bench-dashboard.py [HERTZ [SECONDS]]

A generator of the real core sends over TCP; `irqscope serve` logs, counts and
streams to one reader. Printed: dropped samples, missed frames, the server's CPU
time and its memory, and how many snapshots the reader got.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

RELEASE = "target/release"
HERTZ = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
TICK = os.sysconf("SC_CLK_TCK")


def start(words, mark):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    return process, re.search(mark, process.stdout.readline()).group(1)


def cpu(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def memory(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024


def post(address, path, body):
    connection = http.client.HTTPConnection(address, timeout=600)
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = json.loads(answer.read())
    assert answer.status == 200, text
    return text


class Reader(threading.Thread):
    """Reads the stream, as a page does."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.connection = http.client.HTTPConnection(address, timeout=60)
        self.snapshots, self.bytes, self.last = 0, 0, None

    def run(self):
        self.connection.request("GET", "/api/live")
        stream = self.connection.getresponse()
        for line in stream:
            if line.startswith(b"data:"):
                self.snapshots, self.bytes = self.snapshots + 1, self.bytes + len(line)
                self.last = line


def state(reader):
    return json.loads(reader.last[5:])["measurement"] if reader.last else None


def main():
    with tempfile.TemporaryDirectory() as runs:
        generator, at = start([f"{RELEASE}/examples/generator"], r"listens on (\S+)")
        page = tempfile.mkdtemp(dir=runs)
        open(f"{page}/index.html", "w").close()
        serve = [f"{RELEASE}/irqscope", "serve", "--port", "0", "--runs", f"{runs}/runs", "--page", page]
        server, address = start(serve, r"open http://([^/]+)/")
        try:
            bench(server.pid, address, at)
        finally:
            server.terminate()
            server.wait()
            generator.kill()
            generator.wait()


def bench(pid, address, at):
    post(address, "/api/generator/connect", {"address": at})
    settings = {"period_ns": 10**9 // HERTZ, "count": HERTZ * SECONDS, "packet": 256, "timeout_ns": 10**9}
    post(address, "/api/generator/set", settings)
    reader = Reader(address)
    reader.start()
    begun, before = time.time(), cpu(pid)
    post(address, "/api/generator/start", {})
    print(f"{HERTZ} samples/s for {SECONDS} s, 4 lines, one reader of the stream")
    for share in range(1, 7):
        time.sleep(max(0.0, begun + SECONDS * share / 6 - time.time()))
        used = (cpu(pid) - before) / (time.time() - begun)
        print(f"  {time.time() - begun:5.0f} s  CPU {used:6.1%}  memory {memory(pid):6.1f} MiB")
    while state(reader)["state"] in ("running", "stopping"):
        time.sleep(0.2)
    measured, case = state(reader), state(reader)["cases"][0]
    account, frames = case["account"], case["frames"]
    print(f"samples {case['samples']}, dropped {account['dropped']}, skipped {account['skipped']}, "
          f"frames missed {frames['missed']}, identity {'holds' if account['holds'] else 'BROKEN'}")
    print(f"snapshots {reader.snapshots}, {reader.bytes / reader.snapshots / 1000:.1f} kB each "
          f"({measured['state']})")


if __name__ == "__main__":
    main()
