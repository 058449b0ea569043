# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The errors of the package: each has a message, and a remedy where there is one."""

from __future__ import annotations

import re
from pathlib import Path


class Error(Exception):
    """A failure, and how to fix it.

    Attributes:
        message: what was tried and why it failed, without a final full stop.
        remedy: how to fix it; None where the message says it or there is no remedy.
        run: the directory of the run that failed, where one was left behind.
    """

    def __init__(self, message: str, remedy: str | None = None, run: Path | None = None) -> None:
        self.message = message
        self.remedy = remedy
        self.run = run
        super().__init__(message if remedy is None else f"{message}\nremedy: {remedy}")


class NotARun(Error):
    """A directory, or a file in it, cannot be read as a run."""


class ProgramMissing(Error):
    """The program irqscope was not found or cannot be executed."""


class GateExceeded(Error):
    """A limit was exceeded (exit status 1)."""


class Refused(Error):
    """The usage or the scenario is wrong, or the machine is not ready (exit status 2)."""


class RigLost(Error):
    """The target hung, panicked or could not be reached (exit status 3).

    A lost rig is never a failed latency, and never a pass.
    """


class Invalid(Error):
    """The measurement is invalid (exit status 4)."""


BY_STATUS = {1: GateExceeded, 2: Refused, 3: RigLost, 4: Invalid}


def from_program(status: int, said: str, run: Path | None = None) -> Error:
    """Makes an exception of the exit status and the standard error of the program.

    The error is what begins with the last line `irqscope: …` (or `error: …`, of wrong options);
    lines before it are progress.
    """
    begins = [found.start() for found in re.finditer(r"^(?:irqscope|error): ", said, re.M)]
    text = said[begins[-1] :] if begins else said
    text = re.sub(r"^(?:irqscope|error): ", "", text.strip())
    remedy = re.search(r"^  remedy: (.*)\n?", text, re.M)
    if remedy:
        text = text[: remedy.start()] + text[remedy.end() :]
    kind = BY_STATUS.get(status, Error)
    message = text.strip() or f"irqscope ended with status {status} and said nothing"
    return kind(message, remedy and remedy[1], run)
