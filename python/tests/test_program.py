# SPDX-License-Identifier: Apache-2.0 OR MIT
import logging
import os
import signal
import subprocess
import sys
import time
import tomllib

import pytest

import irqscope
from irqscope.errors import from_program
from irqscope.program import execute, find_program, toml_value


def test_a_measurement_has_the_samples_of_the_program(run, tmp_path, caplog):
    """The twin gives the same samples again, so that the digest says whether all options came through."""
    caplog.set_level(logging.INFO, logger="irqscope")
    again = irqscope.measure(
        "demo",
        kernel="6.1",
        state="idle",
        count=2200,
        explain=True,
        out=tmp_path / "again",
        trigger__jitter_amount="120us",
    )
    assert again.digest == run.digest
    assert again.manifest["overrides"][-1] == 'trigger.jitter-amount="120us"'
    assert not (again.path / "report.html").exists()
    assert any("6.1/idle done" in record.message for record in caplog.records)


def test_the_directory_is_named_as_the_program_names_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(irqscope.Refused):
        irqscope.measure("demo", kernel="6.1", count=0)
    fake = program(tmp_path, 'mkdir -p "$4"; echo "$@" >"$4/arguments"; echo "{}" >"$4/manifest.json"')
    runs = [irqscope.measure("x/mine.toml", stage=["irq", "user"], seed=3, program=fake) for _ in range(3)]
    assert len({made.path for made in runs}) == 3
    said = (runs[0].path / "arguments").read_text()
    assert said == f"run x/mine.toml --out {runs[0].path} --stage irq --stage user --seed 3 --no-report\n"
    assert str(runs[0].path).startswith("runs/2") and runs[0].path.name.split("-")[1] == "mine"


def program(directory, script):
    path = directory / "program"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_errors_of_the_program_are_exceptions_with_its_words(tmp_path):
    with pytest.raises(irqscope.Refused, match="unknown scenario `nosuch`"):
        irqscope.measure("nosuch", out=tmp_path / "none")
    with pytest.raises(irqscope.Refused, match="unknown kernel `99`") as caught:
        irqscope.measure("demo", kernel="99", out=tmp_path / "none")
    assert caught.value.remedy.startswith("name a Debian kernel")
    assert str(caught.value).endswith(f"\nremedy: {caught.value.remedy}")
    with pytest.raises(irqscope.Refused, match="`60xs` is no span of time"):
        irqscope.measure("demo", trigger__jitter_amount="60xs", out=tmp_path / "none")
    with pytest.raises(irqscope.Refused, match="unexpected argument '--nonsense'"):
        execute(["run", "demo", "--nonsense"])


def test_the_exit_status_decides_the_kind(tmp_path):
    said = "irqscope: 6.1/idle failed (2.0 s)\n"
    said += "irqscope: case 6.1/idle: the guest is lost\n  remedy: look\n  it is kept in x\n"
    for status, kind in (1, irqscope.GateExceeded), (2, irqscope.Refused), (3, irqscope.RigLost), (4, irqscope.Invalid):
        error = from_program(status, said)
        assert type(error) is kind
        assert (error.message, error.remedy) == ("case 6.1/idle: the guest is lost\n  it is kept in x", "look")
    assert type(from_program(139, "")) is irqscope.Error
    assert "status 139" in from_program(139, "").message
    lost = program(tmp_path, 'mkdir "$4"; echo "irqscope: lost" >&2; exit 3')
    with pytest.raises(irqscope.RigLost, match="lost") as caught:
        irqscope.measure("demo", out=tmp_path / "kept", program=lost)
    assert caught.value.run == tmp_path / "kept"


def test_a_program_is_found_by_argument_variable_and_path(tmp_path, monkeypatch):
    here = program(tmp_path, "exit 0")
    monkeypatch.setenv("IRQSCOPE", str(here))
    assert find_program() == str(here)
    assert find_program("/bin/true") == "/bin/true"
    monkeypatch.delenv("IRQSCOPE")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(irqscope.ProgramMissing, match="no program 'irqscope'") as caught:
        find_program()
    assert "IRQSCOPE" in caught.value.remedy
    here.rename(tmp_path / "irqscope")
    assert find_program() == str(tmp_path / "irqscope")


def test_ctrl_c_reaches_the_program_once(tmp_path):
    script = program(
        tmp_path,
        f"cd {tmp_path}; trap 'echo interrupted >>ended; kill $!; exit 130' INT; sleep 60 & touch started; wait",
    )
    caller = subprocess.Popen(
        # A shell's background jobs ignore SIGINT, and so would this.
        [
            "env",
            "--default-signal=INT",
            sys.executable,
            "-c",
            f"import irqscope; irqscope.measure('demo', program={str(script)!r})",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "started").exists():
        assert time.monotonic() < until and caller.poll() is None
        time.sleep(0.02)
    os.killpg(caller.pid, signal.SIGINT)
    assert b"KeyboardInterrupt" in caller.communicate(timeout=60)[1]
    assert (tmp_path / "ended").read_text() == "interrupted\n"


def test_values_are_read_by_toml_as_they_were():
    value = {"a b": 'x"\\\n→', "n": [1, -2.5, 1e21, True, False, []], "t": ("y",)}
    assert tomllib.loads(f"v = {toml_value(value)}")["v"] == value | {"t": ["y"]}
    with pytest.raises(TypeError, match="no value of a scenario"):
        toml_value(None)
