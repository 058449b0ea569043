# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Runs that the tests read: real ones, measured by tests/68-python.sh."""

import os

import pytest

import irqscope


def _named(variable):
    path = os.environ.get(variable)
    if path is None:
        pytest.fail(f"{variable} names no run: tests/run 68 measures what these tests read")
    return irqscope.Run(path)


@pytest.fixture
def run():
    """2,200 triggers of every stage on an idle 6.1, with events."""
    return _named("IRQSCOPE_TEST_RUN")


@pytest.fixture
def imported():
    """A histogram of cyclictest with overflows."""
    return _named("IRQSCOPE_TEST_IMPORTED")
