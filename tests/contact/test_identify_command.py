"""`sole identify` as a user types it."""

from __future__ import annotations

import json

import pytest
from command_line import in_this_process

from sole.condense import load_condensed

BOX = ("--box", 0.03, 0.02, 0.01, "--size-tread", 0.007, "--size-bond", 0.007)


@pytest.fixture
def sole(monkeypatch, capsys):
    return in_this_process(monkeypatch, capsys)


def test_the_drawer_is_identified(sole, root, tmp_path):
    mesh, bench = tmp_path / "pad.msh", root / "examples" / "bench" / "drawer.csv"
    assert sole("mesh", *BOX, "-o", mesh)[0] == 0
    pad, plot = tmp_path / "pad.npz", tmp_path / "residuals.png"
    code, out, err = sole("identify", mesh, bench, "-o", pad, "--plot", plot, "--json")
    assert code == 0, err
    told = json.loads(out)
    # Made with 1.4 MPa, 0.46 and 7 s on a finer mesh; this one is stiffer.
    assert told["sole.e"] == pytest.approx(1.4e6, rel=0.1)
    assert told["sole.nu"] == pytest.approx(0.46, abs=0.02)
    assert told["eta"] == pytest.approx(7.0, rel=0.06)
    assert told["units"]["sole.e"] == "Pa" and told["next_test_1"]
    assert load_condensed(pad).materials[0].young_modulus == pytest.approx(told["sole.e"])
    assert plot.stat().st_size > 10_000
    assert (told["plot"], told["output"]) == (str(plot), str(pad))
    locked = ("--element", "p2", "--sd", 2, "--fix", "sole.nu=0.45", "-o", pad, "--json")
    code, out, err = sole("identify", mesh, bench, *locked)
    assert (code, err) == (0, "")  # what condensing doubts is a remark, no warning of Python
    assert any("locks" in remark for remark in json.loads(out)["warnings"])
    bench = tmp_path / "press.csv"
    bench.write_text(
        "test, press [kg], reading [mm]\npress, 1, 0.07\npress, 2, 0.14\npress, 3, 0.21\n"
    )
    code, out, err = sole("identify", mesh, bench, "-o", tmp_path / "none.npz")
    assert code == 2 and err.count("\n") == 1 and "do not determine" in err
    assert not (tmp_path / "none.npz").exists()
    code, _, err = sole("identify", mesh, bench, "--fix", "sole.nu")
    assert code == 2 and "LAYER.nu=NUMBER" in err
    for young in ("nan", "-1", "5e-324", "1e300"):
        code, _, err = sole("identify", mesh, bench, "--fix", f"sole.E={young}")
        assert (code, err.count("\n")) == (2, 1) and "sole.E must be from 10000 to 1e+10 Pa" in err
    code, _, err = sole("identify", mesh, bench, "--thickness-sd", "1e-300")
    assert (code, err.count("\n")) == (2, 1) and "thickness_sd must be 0 or at least" in err
