"""Figure 5: its studies with walks replaced by a formula, and what the example makes of them."""

from __future__ import annotations

import csv
import re
from functools import partial

import numpy as np
import pytest
from box_mesh import box_mesh
from example_scripts import EXAMPLES, load
from matplotlib.patches import Rectangle

from robot.gait import Walking
from robot.measures import metrics
from robot.papers.experiments import soles_of_figure5
from robot.papers.experiments.soles_of_figure5 import reproduce_figure5, walk_with_plain_pd
from robot.run import save_run
from robot.studies.walk_rows import WalkRows
from robot.walk import (
    ControlChoice,
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    load_scenario,
)
from sole.base.errors import SoleError
from sole.claims import Effort
from sole.studies import load_study, run_study

pytestmark = pytest.mark.long

STUDIES = EXAMPLES[0].parent / "studies"
PEAK, TILT = "landing_acceleration_100_hz", "waist_tilt"
ROWS = {"flat": 168, "plate": 168, "repeats_flat": 80, "repeats_plate": 40, "noisy": 56}


def formula(rows, shared, case):
    """Return a walk: on stiffer soles larger peaks, smaller inclination; soft ones fall with PD."""
    s = case.settings
    E, nu = s["young"], s.get("poisson", 0.4)
    repeat = s.get("gait.single", 0.7) / 0.7 + s.get("start.x", 0.0) + (s.get("seed", 1) - 1) / 10
    plate = s.get("ground", rows.base.ground) != "plane"
    falls = s.get("controller") == "pd" and E < 5e5 and repeat < 1.02
    return {
        "fell": float(falls),
        "landing_acceleration_100_hz": (60 if plate else 20) * (E / 1e6) ** 0.25 * repeat**2,
        "waist_tilt": 1.1
        if falls
        else np.deg2rad(2.0) * (1e6 / E) ** 0.125 * (1 + nu / 10) * repeat,
        "strain_p99": 2e4 / E,
        "waist_acceleration_100_hz": 2.0,
        "impact_force": 100.0,
        "stance_margin": 0.1,
    }


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return the table of each study by its name."""
    folder, found = tmp_path_factory.mktemp("figure5"), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WalkRows, "row", formula)
        patch.setattr(WalkRows, "needs_sole", False)
        for name, rows in ROWS.items():
            study = load_study(STUDIES / f"figure5_{name}.toml")
            assert study.size == rows
            found[name] = folder / f"{name}.nc"
            assert run_study(study, None, found[name], folder=STUDIES).failed == 0
    return found


@pytest.fixture(scope="module")
def figure5():
    return load("figure5")


def parts(figure5, tables, *names):
    """Return what the tables hold by (study, ground, controller)."""
    every = [walks for name in names for walks in figure5.read_figure5(tables[name])]
    return {tuple(w.attrs[a] for a in ("study", "ground", "controller")): w for w in every}


def test_every_table_falls_into_grounds_and_controllers(figure5, tables):
    found = parts(figure5, tables, *tables)
    flat, plate = "flat ground", "plate of 5 mm"
    both = "plain PD", "stabiliser"
    assert set(found) == {
        *((study, flat, c) for study in ("flat", "repeats_flat") for c in both),
        *(("plate", plate, c) for c in both),
        ("repeats_plate", plate, "stabiliser"),
        *(("noisy", g, "noisy sensors") for g in (flat, plate)),
    }
    sizes = {walks.attrs["study"]: tuple(walks.sizes[d] for d in ("young", "poisson", "repeat"))
             for walks in found.values()}  # fmt: skip
    assert sizes == {
        "flat": (7, 4, 3), "plate": (7, 4, 3), "noisy": (7, 1, 4),
        "repeats_flat": (4, 1, 10), "repeats_plate": (4, 1, 10),
    }  # fmt: skip


def test_numbers_trends_and_pictures(figure5, tables, tmp_path, capsys):
    figure5.main([tables[name] for name in ("flat", "noisy")], tmp_path / "out")
    with (tmp_path / "out" / "figure5.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 56 + 14
    at = {
        (r["study"], r["ground"], r["controller"], f"{float(r['young']):.0e}", r["poisson"]): r
        for r in rows
    }
    row = at["flat", "flat ground", "plain PD", "1e+06", "0.25"]
    assert (row["repeats"], row["fallen"]) == ("3", "0")
    low, high = 20 * (67 / 70) ** 2, 20 * (73 / 70) ** 2
    expected = [(low + 20.0 + high) / 3, low, high]
    peaks = [float(row[f"landing_acceleration_100_hz {how}"]) for how in ("mean", "min", "max")]
    assert peaks == pytest.approx(expected, rel=1e-3)
    assert float(row["waist_tilt mean"]) == pytest.approx(2.05, rel=1e-3)  # degrees
    fell = at["flat", "flat ground", "plain PD", "1e+05", "0.4"]  # two of three rhythms
    assert (fell["fallen"], fell["waist_tilt mean"]) == ("2", "")
    lines = {tuple(line[2:-2].split(" | ")) for line in capsys.readouterr().out.splitlines()}
    # N soles, 4 of every E: equal ranks cost sqrt((N^2 - 4^2)/(N^2 - 1)) where nu matters too;
    # those of 0.1 MPa are strained too much.
    assert ("flat, flat ground, stabiliser", "24 of 28", "+1.00", "-0.99", "-0.99") in lines
    assert ("flat, flat ground, plain PD", "20 of 28", "+1.00", "-0.98", "-0.98") in lines
    for name in ("maps", "curves", "noisy"):
        assert (tmp_path / "out" / f"figure5_{name}.png").stat().st_size > 20000


def test_maps_hatch_what_fell_and_mark_strain(figure5, tables):
    drawn = parts(figure5, tables, "flat")
    figure = figure5.draw_maps_of_soles(list(drawn.values()))
    pd, stabiliser, *_ = figure.axes
    assert (pd.get_title(), stabiliser.get_title()) == (
        "flat ground, plain PD",
        "flat ground, stabiliser",
    )
    hatched = [p for p in pd.patches if isinstance(p, Rectangle) and p.get_hatch()]
    assert len(hatched) == 8 and not stabiliser.patches
    assert [t.get_text() for t in pd.texts].count("2/3") == 8
    crosses = [line for line in stabiliser.lines if line.get_marker() == "x"]
    assert sorted(line.get_xdata()[0] for line in crosses) == pytest.approx([-1.0] * 4)


def test_curves_tell_falls_and_intervals(figure5, tables):
    figure = figure5.draw_curves_of_soles(list(parts(figure5, tables, "flat").values()))
    strip, peaks, _ = figure.axes
    assert [t.get_text() for t in strip.texts] == ["2/3", "2/3"]
    (low, high) = peaks.collections[0].get_segments()[6][:, 1]  # of the interval at 100 MPa
    assert (low, high) == pytest.approx(
        [20 * 10**0.5 * (single / 0.7) ** 2 for single in (0.67, 0.73)]
    )


def test_tables_of_other_rows_are_refused(figure5, tmp_path):
    study = tmp_path / "study.toml"
    study.write_text(
        'schema = "sole.study/2"\nrows = ["stiffness"]\n[[axis]]\nquantity = "young"\n'
        "values = [1e6, 2e6]\n[layers.layer0]\npoisson_ratio = 0.4\n"
        "[options.stiffness]\nmass = 50\ncom_height = 0.8\n"
    )
    run_study(load_study(study), box_mesh(0.2, 0.1, 0.02, (2, 2, 1)), tmp_path / "t.nc")
    with pytest.raises(SoleError, match="no walks over E; run `sole study`"):
        figure5.read_figure5(tmp_path / "t.nc")


def test_landings_say_what_the_metric_is_the_largest_of(capsys, tmp_path):
    """One step on a plate that nobody planned: feet meet it at a speed, and the sole yields."""
    scenario = Scenario(
        dt=4e-3,
        settle=0.1,
        ground="step:0.005,0.13",
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Walking(steps=1, forward=0.1, single=0.5, initial=0.3, final=0.8),
        control=ControlChoice(period=4e-3),
    )
    run, error = execute(assemble_walk(scenario, tmp_path), RecordingOptions())
    assert error is None
    save_run(tmp_path / "run.nc", run)
    example, found = load("landings"), metrics(run)
    rows = example.main(run)
    example.show([tmp_path / "run.nc"])
    assert len(capsys.readouterr().out.splitlines()) == len(rows) + 3
    assert len(rows) == len(found["impact forces"].value) >= found["landings"].value >= 1
    peak = found["landing acceleration 100 Hz"].value
    assert max(r.peak for r in rows) == pytest.approx(peak, rel=1e-12)
    first = rows[0]
    assert first.rate == pytest.approx(first.peak / np.hypot(first.down, first.along), rel=1e-9)
    assert first.down > 0.02 and 0 < first.twist < 5


def test_the_viscous_sole_of_the_page_is_a_scenario(root, tmp_path):
    page = (root / "docs" / "results" / "figure5.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "viscous.toml").write_text(block)
    assert load_scenario(tmp_path / "viscous.toml").sole.eta == 0.02


@pytest.mark.parametrize("quick", [pytest.param(True, marks=pytest.mark.nightly), False])
def test_the_claims_on_figure5_follow_from_its_trends(quick, tmp_path, monkeypatch):
    asked = []

    def counted(rows, shared, case):
        asked.append(case)
        return formula(rows, shared, case)

    monkeypatch.setattr(WalkRows, "row", counted)
    monkeypatch.setattr(WalkRows, "needs_sole", False)
    shares: list[float] = []
    found = reproduce_figure5(Effort(quick=quick, folder=tmp_path, tell=shares.append))
    assert shares == sorted(shares) and len(set(shares)) >= len(asked) and shares[-1] == 1
    assert len(asked) == (20 if quick else 336)
    for ground in ("flat", "plate"):
        assert found.numbers[f"{ground}_peak"] > 0.9 and found.numbers[f"{ground}_tilt"] < -0.9
        assert found.numbers[f"{ground}_soles"] == (4 if quick else 24)
        assert found.numbers[f"{ground}_moduli"] == (4 if quick else 6)
    assert len(found.pictures["fig5"]().axes) == 6
    again = reproduce_figure5(Effort(quick=quick, folder=tmp_path))
    assert again.numbers == found.numbers
    assert len(asked) == (40 if quick else 336)  # full studies are kept, quick ones are not
    assert (tmp_path / "figure5_full_flat.nc").exists() != quick


def test_walks_with_plain_pd(monkeypatch):
    short = partial(Scenario, duration=0.05, settle=0.05)
    monkeypatch.setattr(soles_of_figure5, "Scenario", short)
    numbers = walk_with_plain_pd(Effort()).numbers
    assert numbers["firm_fell"] == 0 and numbers["firm_residual"] < 1e-5
    assert abs(numbers["firm_way"]) < 0.05
