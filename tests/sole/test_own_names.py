"""What one process lowered and what another did never have one name."""

from __future__ import annotations

import os
from functools import partial

import pytest
from own_process import evaluate

KERNELS = """
import os
from numba.core.bytecode import FunctionIdentity
from sole.base.compiled import kernel

def make(factor):
    @kernel
    def inner(x):
        return factor * x
    return inner

double, triple = make(2.0), make(3.0)

@kernel
def both(x):
    return double(x), triple(x)

def next_number():
    return next(FunctionIdentity._unique_ids)

def forked():
    mine, theirs = os.pipe()
    if os.fork() == 0:
        os.write(theirs, str(next_number()).encode())
        os._exit(0)
    os.wait()
    return int(os.read(mine, 100))
"""


@pytest.fixture
def run(tmp_path):
    """Evaluate an expression in a process of its own; all have one folder of machine code."""
    module = tmp_path / "factors.py"
    module.write_text(KERNELS)
    return partial(evaluate, module)


def test_functions_of_one_place_that_two_processes_lowered_are_two(run):
    assert run("factors.double(1.0)") == "2.0"
    assert run("factors.triple(1.0)") == "3.0"
    assert run("factors.both(1.0)") == "(2.0, 3.0)"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_numbers_functions_by_itself(run):
    assert run("abs(factors.double(1.0) and factors.forked() - factors.next_number()) > 1e6") == (
        "True"
    )
