"""Walks that end as they should, or as they should not: what was recorded stays, and says why."""

from __future__ import annotations

import errno
import gc
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from box_mesh import box_mesh
from small_robot import drop, simulator, start

from robot.gait import Standing
from robot.measures import SOLE_MARGIN, metrics
from robot.recorder import Recorder
from robot.run import load_run
from robot.simulator import Command
from robot.walk import RecordingOptions, Scenario, SoleChoice, assemble_walk, execute, refine
from sole.base.errors import ConfigError, ResourceError, SoleError
from sole.condense import condense, save_condensed
from sole.material import Material

STAND = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Standing(initial=0.03, final=0.03),
    settle=0.05,
)
# --- ends


class Broken:
    period = 1e-3

    def update(self, sensed, t):
        n = len(sensed.q) - 7
        return Command(
            positions=sensed.q[7:] + (np.nan if t > 0.0095 else 0.0), velocities=np.zeros(n)
        )


class Wrong(Broken):
    def update(self, sensed, t):
        return super().update(sensed, t if t < 0.0095 else 1 / 0)


@pytest.mark.parametrize(
    ("controller", "kind", "reason"),
    [
        (Broken(), SoleError, "error: command: positions of joint .* is nan"),
        (Wrong(), ZeroDivisionError, "error: division by zero"),
    ],
)
def test_a_controller_that_fails_leaves_the_run_so_far(controller, kind, reason):
    made = assemble_walk(STAND)
    made.controller = controller
    done = execute(made, RecordingOptions())
    assert isinstance(done.error, kind)
    assert len(done.run) == 10
    assert re.match(reason, done.run.header["ended"])
    assert metrics(done.run)["fell"].value is False


def test_what_fails_before_the_first_row_has_no_run():
    made = assemble_walk(STAND)
    made.controller, made.sensed = Broken(), None
    made.start = replace(made.start, time=1.0)
    with pytest.raises(SoleError, match="nan"):
        execute(made, RecordingOptions())


def test_a_full_disk_costs_neither_numbers_nor_run(walk, scenario, tmp_path, monkeypatch):
    spare, before = tmp_path / "spare", Path.write_bytes
    spare.mkdir()

    def full(self, data):
        if self.parent != spare or not spare.exists():
            raise OSError(errno.ENOSPC, "No space left on device")
        return before(self, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    code, out, err = walk(scenario, "-o", tmp_path / "run.nc", "--json")
    assert code == 2
    assert json.loads(out)["fell"] is False
    assert err.count("\n") == 1
    assert "the disk is full" in err
    (rescued,) = spare.iterdir()
    assert str(rescued) in err
    assert len(load_run(rescued)) == 40
    assert not (tmp_path / "run.nc").exists()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, err = walk(scenario, "-o", tmp_path / "run.nc", "--json")
    assert (code, json.loads(out)["rows"]) == (2, 40)
    assert "the run is lost" in err
    assert not list(tmp_path.glob("*.nc"))


def test_a_run_that_memory_cannot_hold_is_refused_before_it_begins():
    sim = simulator()
    told = r"run of 2000000 rows and 1000000000 snapshots of 31 nodes needs .* --forces-every"
    with pytest.raises(ResourceError, match=told):
        Recorder(sim, start(sim), 1e-3, steps=10**9, nodes=1, every=500)
    with pytest.raises(ResourceError, match=r"1000000000 rows and 0 snapshots .* --every"):
        Recorder(sim, start(sim), 1e-3, steps=10**9)


def test_rows_that_are_left_out_still_tell_of_missed_contact():
    sim = simulator()
    full = drop(sim, 60).recorder.run()
    thin = drop(sim, 60, every=7).recorder.run()
    worst = full["residual"][:56].reshape(8, 7).max(axis=1)
    np.testing.assert_array_equal(thin["residual"], worst)


# --- soles that do not fit


def test_a_sole_beside_the_foot_is_one_line(walk, tmp_path):
    rubber = [Material(young_modulus=1e6, poisson_ratio=0.4, density=1000.0)]
    save_condensed(
        tmp_path / "wide.npz", condense(box_mesh(0.3, 0.1, 0.02, (4, 2, 1)), rubber, "p1")
    )
    path = tmp_path / "wide.toml"
    path.write_text('schema = "robot.scenario/1"\n[sole]\nfile = "wide.npz"\n')
    code, out, err = walk(path)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: the left sole \(300\.0 x 100\.0 mm\) extends .*\n", err)


def test_a_sole_finer_than_memory_is_one_line(walk, tmp_path):
    path = tmp_path / "fine.toml"
    path.write_text('schema = "robot.scenario/1"\n[sole]\nsize = 0.0004\n')
    code, out, err = walk(path)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"error: .*tetrahedra; take at least .*\n", err)


# --- three steps


def test_three_steps_of_the_command(walk, scenario, tmp_path, monkeypatch):
    output, refined = tmp_path / "run.nc", []

    def once(*arguments):
        refined.append(refine(*arguments))
        return refined[0]

    monkeypatch.setattr("robot.walk.refine", once)
    code, out, err = walk(scenario, "--converge", "--json", "-o", output, "--margins-every", 5)
    assert (code, err) == (0, "")
    said = json.loads(out)
    assert said["fell"] is False
    assert said["fell_at"] is None
    assert said["dt"] == [1.0, 0.5, 0.25]
    assert "stands (at the finest time step)" in said["verdict"]
    pressure = said["convergence"]["pressure"]
    assert pressure["verdict"] == "converged"
    assert pressure["unit"] == "Pa"
    assert len(pressure["values"]) == 3
    run = load_run(output)
    assert run.dt == 2.5e-4
    assert run.frames["frame_time"] == pytest.approx([0.01, 0.02, 0.03, 0.04])
    assert (~np.isnan(run[SOLE_MARGIN][:, 0, 0])).sum() == 8
    monkeypatch.setattr("robot.walk.refine", lambda *arguments: refined[0])
    code, table, _ = walk(scenario, "--converge")
    assert code == 0
    assert re.search(r"pressure\s+│\s+\d.*converged", table)


def test_three_steps_need_every_row_and_stop_with_the_first_that_fails(monkeypatch):
    with pytest.raises(ConfigError, match="needs every step"):
        refine(STAND, None, RecordingOptions(every=2))
    shares: list[float] = []

    def tell(share: float) -> None:
        shares.append(share)
        if share > 0.3:
            raise KeyboardInterrupt

    refined = refine(STAND, None, RecordingOptions(), tell)
    assert isinstance(refined.finest.error, KeyboardInterrupt)
    assert refined.found == {}
    assert refined.finest.run.dt == 5e-4
    assert shares == sorted(shares)


def test_a_walk_leaves_garbage_collection_as_it_is():
    usual, frozen, seen = gc.get_threshold(), gc.get_freeze_count(), []

    def tell(time: float) -> None:
        seen.append((gc.isenabled(), gc.get_freeze_count(), gc.get_threshold()))

    execute(assemble_walk(STAND), RecordingOptions(), tell)
    assert set(seen) == {(True, frozen, usual)}
