# SPDX-License-Identifier: Apache-2.0 OR MIT
"""A driver of labgrid: measures at the place that a test has.

    imports:
    - irqscope.labgrid
    targets:
      main:
        resources:
          RemotePlace: {name: one}
        drivers:
          IrqscopeDriver: {keyfile: id_lab}

    def test_latency(target):
        irqscope = target.get_driver("IrqscopeDriver")
        run = irqscope.run("latency.toml", kernel="6.1")
        irqscope.gate(run, "user<150us@p99.9")

It needs labgrid, which this package does not install: https://labgrid.readthedocs.io
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import attr
from labgrid.driver.common import Driver
from labgrid.factory import target_factory
from labgrid.resource.common import Resource
from labgrid.step import step
from labgrid.util.proxy import proxymanager

from .program import execute, measure
from .run import Run


@target_factory.reg_driver
@attr.s(eq=False)
class IrqscopeDriver(Driver):  # type: ignore[misc]
    """Measures over ssh at a `NetworkService`, through the exporter's proxy where it asks for one.

    Args:
        keyfile: ssh's private key, counted from the environment's file.
        ssh_options: further options of ssh.
        program: the program irqscope; `$IRQSCOPE` by default, else `irqscope` in the path.
        out: the directory in which runs are made; `runs` by default.
        connect: the generator that is wired to the target, as `--connect` takes it.
    """

    bindings = {"networkservice": "NetworkService"}
    keyfile: str = attr.ib(default="", validator=attr.validators.instance_of(str))
    ssh_options: list[str] = attr.ib(factory=list, validator=attr.validators.instance_of(list))
    program: str = attr.ib(default="", validator=attr.validators.instance_of(str))
    out: str = attr.ib(default="", validator=attr.validators.instance_of(str))
    connect: str = attr.ib(default="", validator=attr.validators.instance_of(str))

    @Driver.check_active  # type: ignore[untyped-decorator]
    @step(args=["scenario"])  # type: ignore[untyped-decorator]
    def run(self, scenario: str | os.PathLike[str], **settings: Any) -> Run:
        """Executes a scenario at the place, and returns its run.

        Args:
            scenario: as `irqscope.measure` takes it, and so are the settings.
            settings: `kernel`, `state`, `stage`, `count`, `seed`, `explain`, `out`, keys of the scenario.

        Raises:
            irqscope.Error: of the kind that belongs to what went wrong.
        """
        service: Resource = self.networkservice
        options = list(settings.pop("options", ()))
        if self.connect:
            options += ["--connect", self.connect]
        if self.out and "out" not in settings:
            settings["out"] = _fresh(Path(self.out), Path(scenario).stem)
        settings["ssh.options"] = self._ssh(service)
        return measure(
            scenario,
            rig="ssh",
            host=f"{service.username}@{service.address}",
            options=options,
            program=self.program or None,
            **settings,
        )

    @Driver.check_active  # type: ignore[untyped-decorator]
    @step(args=["limits"])  # type: ignore[untyped-decorator]
    def gate(self, run: Run, *limits: str, against: Run | None = None) -> None:
        """Holds a run against limits.

        Args:
            run: what `run` returned.
            limits: such as `user<150us@p99.9`; without any, those of the scenario.
            against: an earlier run, than which it must not be later.

        Raises:
            irqscope.GateExceeded: a limit does not hold; its message says which.
            irqscope.Error: the run is invalid, or a limit names nothing that was measured.
        """
        command = ["gate", str(run.path)]
        for limit in limits:
            command += ["--max", limit]
        if against is not None:
            command += ["--against", str(against.path)]
        execute(command, program=self.program or None)

    def _ssh(self, service: Resource) -> list[str]:
        """Returns ssh's options on the way to the place."""
        options = ["-p", str(service.port)]
        if self.keyfile:
            env = self.target.env
            options += ["-i", env.config.resolve_path(self.keyfile) if env else self.keyfile]
        proxy = proxymanager.get_command(service, service.address, service.port)
        if proxy:
            options += ["-o", f"ProxyCommand={shlex.join(proxy)}"]
        return options + self.ssh_options


def _fresh(runs: Path, name: str) -> Path:
    """Returns a directory that does not exist."""
    number, path = 1, runs / name
    while path.exists():
        number += 1
        path = runs / f"{name}-{number}"
    return path
