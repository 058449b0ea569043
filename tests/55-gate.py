# SPDX-License-Identifier: Apache-2.0 OR MIT
"""PROGRAM RUN COPY: gate gives no verdict on a log that lacks any record, has one twice, or has a bit turned in one."""

import pathlib
import random
import shutil
import subprocess
import sys

HEADER = 8
INVALID = 4

program, run, copy = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
log = (run / "run.log").read_bytes()
records = log[HEADER:].split(b"\0")
assert records.pop() == b"" and len(records) > 20, len(records)
copy.mkdir()
shutil.copy(run / "manifest.json", copy)
draw = random.Random(1)


def verdict(changed):
    (copy / "run.log").write_bytes(log[:HEADER] + b"".join(record + b"\0" for record in changed))
    ran = subprocess.run([program, "gate", copy, "--max", "user<1s@max"], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def turned(record):
    bit = draw.randrange(8 * len(record))
    byte = bytes([record[bit // 8] ^ 1 << bit % 8])
    return record[: bit // 8] + byte + record[bit // 8 + 1 :]


assert verdict(records)[0] == 0, verdict(records)
for place, record in enumerate(records):
    before, after = records[:place], records[place + 1 :]
    changes = [("missing", []), ("twice", [record, record]), ("turned", [turned(record)])]
    for what, instead in changes if place % 5 == 0 else changes[:1]:
        status, said = verdict(before + instead + after)
        assert status == INVALID, (place, what, status, said)
print(f"{len(records)} records: no verdict without one, with every fifth twice or a bit of it turned")
