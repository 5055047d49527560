"""`make test-python`: kernels as plain Python give the numbers of machine code."""

from __future__ import annotations

import sys

import numpy as np
import plain_python
import pytest


@pytest.mark.nightly
@pytest.mark.slow
def test_kernels_without_a_compiler_give_the_same_numbers(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["plain_python.py"])
    assert plain_python.main() == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) >= 12 and not [line for line in told if "apart" in line]


@pytest.mark.parametrize("off", [1e-11, np.nan, np.inf])
def test_other_numbers_are_seen(monkeypatch, capsys, off):
    def numbers(pad, plain):
        mine = 2.0 if np.isfinite(off) and not plain else 2.0 + off  # NaN in both is no match
        return {"same": [[1.0, 2.0]], "other": [[1.0, mine]]}

    monkeypatch.setattr(plain_python, "of_process", numbers)
    monkeypatch.setattr(plain_python, "small_pad", lambda: None)
    monkeypatch.setattr(plain_python, "save_condensed", lambda *_: None)
    monkeypatch.setattr(sys, "argv", ["plain_python.py"])
    assert plain_python.main() == 1
    same, other = capsys.readouterr().out.splitlines()
    assert same == "same: 0.0e+00" and other.endswith("too far apart")
