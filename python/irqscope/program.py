# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs the program irqscope and returns what it measured."""

from __future__ import annotations

import json
import logging
import os
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .errors import ProgramMissing, from_program
from .run import Run

# The progress of a measurement, line by line, at level INFO.
LOG = logging.getLogger("irqscope")
# As shells report SIGINT.
INTERRUPTED = 130

Several = str | Sequence[str]


def measure(
    scenario: str | os.PathLike[str],
    *,
    kernel: Several = (),
    state: Several = (),
    stage: Several = (),
    count: int | None = None,
    seed: int | None = None,
    rig: str | None = None,
    host: str | None = None,
    explain: bool = False,
    out: str | os.PathLike[str] | None = None,
    report: bool = False,
    options: Sequence[str] = (),
    program: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Run:
    """Executes a scenario with `irqscope run` and returns its run.

        measure("demo", kernel="6.1", state="idle", count=200)
        measure("demo", trigger__jitter_amount="60us")
        measure("mine.toml", **{"trigger.period": "1ms"})

    Progress goes to the logger `irqscope`. Ctrl-C ends the measurement and its guests.

    Args:
        scenario: the name of a bundled scenario, or a path that ends in `.toml`.
        kernel: one name or several, instead of the scenario's; the same of `state` and `stage`.
        state: the state of the system, such as `idle`.
        stage: what is asked to answer, such as `user`.
        count: triggers of each case.
        seed: where jitter begins; in the twin a scenario and a seed give one set of samples.
        rig: `twin`, `vm`, `local`, `ssh` or `board`, instead of the scenario's.
        host: the target of rig `ssh`.
        explain: records what late responses wait for, so that `Run.interference()` has rows.
        out: the run's directory, which must not exist; `runs/TIME-SCENARIO` by default.
        report: writes report.html and its pictures as well.
        options: further options of `irqscope run`, as on its command line.
        program: the program; `$IRQSCOPE` by default, else `irqscope` in the path.
        settings: any key of the scenario. In a name, two underscores are a dot and one is a hyphen;
            a name that contains a dot or a hyphen is taken as it is.

    Raises:
        Refused: usage or scenario are wrong, or the machine is not ready.
        RigLost: the target hung, panicked or could not be reached.
        Invalid: the measurement is invalid.
        ProgramMissing: there is no program.
    """
    run = Path(out) if out is not None else _new_directory(Path(scenario).stem)
    command = ["run", os.fspath(scenario), "--out", str(run)]
    for option, names in ("--kernel", kernel), ("--state", state), ("--stage", stage):
        for name in [names] if isinstance(names, str) else names:
            command += [option, name]
    for option, value in ("--count", count), ("--seed", seed), ("--rig", rig), ("--host", host):
        if value is not None:
            command += [option, str(value)]
    for key, value in settings.items():
        command += ["--set", f"{_key(key)}={toml_value(value)}"]
    command += ["--explain"] * explain + ["--no-report"] * (not report) + list(options)
    execute(command, program=program, run=run)
    return Run(run)


def execute(arguments: Iterable[str], *, program: str | os.PathLike[str] | None = None, run: Path | None = None) -> str:
    """Runs irqscope with these arguments and returns its standard output.

    Args:
        arguments: what follows the program's name on its command line.
        program: as `measure` takes it.
        run: the directory that an error names, if it is there then.

    Raises:
        Error: of the kind that belongs to the exit status, with the program's own words.
    """
    command = [find_program(program), *arguments]
    with tempfile.TemporaryFile("w+") as output:
        try:
            # In a process group of its own: a terminal's Ctrl-C reaches it once, from here, as a
            # notebook's does; on a second one irqscope ends without ending its guests in order.
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, process_group=0
            )
        except OSError as error:
            raise ProgramMissing(f"cannot execute {command[0]}: {error.strerror}", _INSTALL) from error
        status, said = _follow(process)
        if status in (INTERRUPTED, -signal.SIGINT):
            raise KeyboardInterrupt
        output.seek(0)
        if status:
            # A gate's verdict is what it prints.
            raise from_program(status, said.strip() or output.read(), run if run and run.is_dir() else None)
        return output.read()


def _follow(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """Logs what the program says as it comes, and returns its exit status and all of that."""
    said = b""
    assert process.stderr is not None
    with process.stderr as lines:
        while True:
            try:
                # Polars lets a read() go on after a signal; select() ends.
                select.select([lines], [], [])
                piece = os.read(lines.fileno(), 1 << 16)
            except KeyboardInterrupt:
                # The program ends its guests, and then itself.
                process.send_signal(signal.SIGINT)
                continue
            whole, _, rest = (said[said.rfind(b"\n") + 1 :] + piece).rpartition(b"\n")
            said += piece
            for line in whole.splitlines() + ([] if piece else [rest]):
                LOG.info("%s", line.decode(errors="replace").removeprefix("irqscope: "))
            if not piece:
                return process.wait(), said.decode(errors="replace")


_INSTALL = "put irqscope into the path, or name it by program= or the variable IRQSCOPE; docs/install.md installs it"


def find_program(program: str | os.PathLike[str] | None = None) -> str:
    """Returns the program's path: the argument, `$IRQSCOPE`, or `irqscope` in the path."""
    named = os.fspath(program or os.environ.get("IRQSCOPE") or "irqscope")
    found = shutil.which(named)
    if found is None:
        raise ProgramMissing(f"there is no program {named!r}", _INSTALL)
    return found


def toml_value(value: Any) -> str:
    """Returns a value as TOML has it, for `--set KEY=VALUE`."""
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case str():
            # A JSON string is a basic string of TOML.
            return json.dumps(value, ensure_ascii=False)
        case Mapping():
            return "{ " + ", ".join(f"{json.dumps(str(key))} = {toml_value(of)}" for key, of in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(toml_value, value)) + "]"
    raise TypeError(f"{value!r} is no value of a scenario: give text, a number, a truth value, a list or a table")


def _key(name: str) -> str:
    if "." in name or "-" in name:
        return name
    return name.replace("__", ".").replace("_", "-")


def _new_directory(scenario: str) -> Path:
    """Returns a directory under `runs` that does not exist, named as irqscope names it."""
    first = Path("runs") / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{scenario}"
    number, path = 1, first
    while path.exists():
        number += 1
        path = first.with_name(f"{first.name}-{number}")
    return path
