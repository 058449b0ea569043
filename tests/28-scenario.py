# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Validates scenarios with the schema as an editor does: another implementation than its maker.

usage: 28-scenario.py IRQSCOPE SCHEMA DIRECTORY
"""
import json
import pathlib
import subprocess
import sys
import tomllib

import jsonschema

WRONG = [
    ("version = 1", 'version = "1"'),
    ("version = 1", ""),
    ("about =", "abuot ="),
    ('kind = "', 'kind = "x'),
    ("count =", "cuont ="),
    ('jitter = "uniform"', 'jitter = "normal"'),
    ("[trigger]", "[trigger]\nsettle = 100"),
    ("[trigger]", '[trigger]\nsettle = "100"'),
    ("[trigger]", '[trigger]\nduty = "25"'),
    ("[trigger]", '[execution]\nirqq = "1us"\n[trigger]'),
    ("[trigger]", '[execution]\nirq = { mean = "1us", lowest = "1us" }\n[trigger]'),
    ("[trigger]", '[priority]\nuser = "fifo 100"\n[trigger]'),
    ("[trigger]", '[bench.sched]\nperod = "1ms"\n[trigger]'),
    ('rig = "twin"', 'rig = "tvin"'),
]


def main():
    program, schema, directory = sys.argv[1:]
    directory = pathlib.Path(directory)

    def said(*arguments):
        """Returns the exit status and what was printed."""
        done = subprocess.run([program, "scenario", *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    schema = json.loads(pathlib.Path(schema).read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    written = directory / "template.toml"
    assert said("new", str(written))[0] == 0
    bundled = sorted(pathlib.Path("scenarios").glob("*.toml"))
    assert len(bundled) > 20, bundled
    for path in [*bundled, written]:
        # As it is written, and as it is resolved.
        status, resolved = said("show", str(path))
        assert status == 0, path
        for text in path.read_text(), resolved:
            errors = [error.message for error in validator.iter_errors(tomllib.loads(text))]
            assert not errors, (path, errors)

    # Of what the program refuses by its type, the schema takes nothing.
    good = pathlib.Path("scenarios/demo.toml").read_text()
    for correct, wrong in WRONG:
        text = good.replace(correct, wrong, 1)
        assert text != good, correct
        path = directory / "refused.toml"
        path.write_text(text)
        assert said("check", str(path))[0] == 2, wrong
        assert not validator.is_valid(tomllib.loads(text)), wrong
    print(len(bundled), "scenarios are valid,", len(WRONG), "mistakes are not")


main()
