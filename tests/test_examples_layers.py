"""One layer or two: the example on its design studies, with walks replaced by a formula."""

from __future__ import annotations

from dataclasses import replace

import pytest
from example_scripts import EXAMPLES, load

from robot.studies.walk_rows import WalkRows
from sole.mesh import mesh_shape, write_mesh
from sole.shape import load_shape
from sole.studies.design import best_of, load_design, run_design

pytestmark = pytest.mark.long

STUDIES = EXAMPLES[0].parent / "studies"


def formula(rows, shared, case):
    """Return a walk on springs in series: peaks as the stiffness, strains as the softer layer."""
    E = [m.young_modulus for m in case.materials]
    t = [float(case.settings.get(f"thickness_{n}", 0.01)) for n in ("tread", "mid")]
    k = 1 / sum(ti / Ei for ti, Ei in zip(t, E, strict=True))
    phase = float(case.settings["start.x"])
    return {
        "fell": 0.0,
        "landing_acceleration_100_hz": 40 * (k / 1e8) ** 0.5 * (1 + phase),
        "waist_tilt": 0.04,
        "strain_p99": 1.5e5 / min(E) * (1 - abs(phase)),
    }


@pytest.mark.nightly
def test_two_layer(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(WalkRows, "row", formula)
    monkeypatch.setattr(WalkRows, "needs_sole", False)
    example, shape = load("two_layer"), load_shape(STUDIES / "two_layer_pad.toml")
    pad = mesh_shape(shape, 0.06, 0.06)
    write_mesh(tmp_path / "pad.msh", pad)
    tables = []
    for name in ("one_layer", "two_layer"):
        design = load_design(STUDIES / f"{name}.toml")
        assert design.design.evaluations == 60
        tables.append(tmp_path / f"{name}.nc")
        told = run_design(replace(design, mesh=""), pad, tables[-1], folder=STUDIES)
        lines = example.designs(tables[-1])
        assert len(lines) == len(told.verdicts)
        (chosen,) = example.best(lines, 0.1, 0.0445).itertuples()
        values, verdict = best_of(told)
        assert chosen.Index == pytest.approx(values)
        assert chosen.peak == pytest.approx(verdict.objective)
        assert chosen.strain_p99 <= 0.1
    monkeypatch.setattr(example, "NUS", (0.0,))
    example.main(tmp_path / "two_layer.png", tmp_path / "pad.msh", *tables)
    assert "strain=0.1, tilt=0.0445, two layers: Pandas(Index=(" in capsys.readouterr().out
    assert (tmp_path / "two_layer.png").stat().st_size > 10_000
    # Between two planes without sideways strain nothing is more even than one material.
    assert example.concentration(pad, 1.0, 0.005, 0.0) == pytest.approx(2 / 3, rel=1e-6)
    assert example.concentration(pad, 3.0, 0.005, 0.0) > 0.8
