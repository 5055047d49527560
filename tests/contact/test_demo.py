"""The main job on a coarse mesh: figures, pictures, table, and what the command says."""

from __future__ import annotations

import csv
import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pictures import colours

import contact.demo
from contact.demo import COP, FORCE, Demo, run_demo
from sole.base import cli
from sole.base.errors import SoleError

COARSE = {"size_tread": 0.03, "young": (1e5, 1e8, 3), "poisson": (0.0, 0.49, 2)}


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> Demo:
    return run_demo(tmp_path_factory.mktemp("demo") / "new", lines.append, **COARSE)


def test_two_layers_one_to_three_with_a_common_poisson_ratio(demo: Demo) -> None:
    lower, upper = demo.sole.materials
    assert upper.young_modulus == pytest.approx(3 * lower.young_modulus)
    assert upper.poisson_ratio == lower.poisson_ratio
    assert np.ptp(demo.sole.mesh.points, axis=0)[:2] == pytest.approx([0.216, 0.140])
    # Layer 0 is at the tread.
    tets = demo.sole.mesh.tets
    height = demo.sole.mesh.points[tets].mean(axis=1)[:, 2]
    layer = demo.sole.mesh.layer_of_tet
    assert height[layer == 0].max() < height[layer == 1].min()


@pytest.mark.parametrize("where", ["flat", "step"])
def test_both_presses_carry_the_load_where_it_acts(demo: Demo, where: str) -> None:
    result = getattr(demo, where)
    up = result.pose[2, :3]  # the load keeps its direction while the foot tilts
    assert up @ result.forces.sum(axis=0) == pytest.approx(FORCE, rel=1e-8)
    assert result.cop == pytest.approx(COP, abs=1e-9)
    assert result.certificate.holds(1e-8)


def test_the_step_edge_halves_the_contact_and_tilts_the_foot(demo: Demo) -> None:
    assert demo.step.contact_area < 0.6 * demo.flat.contact_area
    assert demo.step.motion[4] < demo.flat.motion[4] < 0.02  # nose up on the edge
    behind = demo.step.points[:, 0] < -0.03
    assert np.all(demo.step.forces[behind] == 0)


def test_four_pictures_one_table_and_the_data_behind_them(demo: Demo) -> None:
    import matplotlib.image

    pictures = [p for name, p in demo.files.items() if name.endswith("picture")]
    assert len(pictures) == 4
    for path in pictures:
        assert min(matplotlib.image.imread(path).shape[:2]) > 500
        assert colours(path) > 100
    with demo.files["table"].open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 6
    assert {row["status"] for row in rows} == {"ok"}
    k_z = [float(row["k_z_z[N/m]"]) for row in rows]
    E = [float(row["young[Pa]"]) for row in rows]
    # Both layers scale together: stiffness is proportional to E.
    assert k_z[4] / k_z[0] == pytest.approx(E[4] / E[0], rel=1e-9)
    assert all(path.is_file() for path in demo.files.values())


def test_the_account_names_every_step_with_figures(demo: Demo, lines: list[str]) -> None:
    assert [line for line in lines if line[1] == "/"] == [
        f"{k}/6 {what}" for k, what in enumerate(demo.seconds, start=1)
    ]
    text = "\n".join(lines)
    for figure in ("tetrahedra", "kN/m", "cm2", "kPa", "residual", "6 rows", "stand on one foot"):
        assert figure in text


@pytest.mark.nightly
def test_the_command_lists_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    coarse = partial(run_demo, size_tread=0.05, young=(1e6, 2e6, 2), poisson=(0.3, 0.4, 2))
    monkeypatch.setattr(contact.demo, "run_demo", coarse)
    monkeypatch.setattr(sys, "argv", ["sole", "demo", "-o", str(tmp_path / "d"), "--json"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    told = json.loads(capsys.readouterr().out)
    assert set(told["files"]) == {
        *("mesh", "sole", "flat", "step", "sweep", "table"),
        *("sole_picture", "flat_picture", "step_picture", "sweep_picture"),
    }
    assert all(Path(path).is_file() for path in told["files"].values())
    assert len(told["seconds"]) == 7


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SoleError, match="cannot make the folder"):
        run_demo(tmp_path / "file" / "out", **COARSE)
