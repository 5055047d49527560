"""Margins of compliant soles along a simulation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_robot import REST, drop, simulator, start

from contact.frames import frames_of
from contact.margins.sole_margin import sole_margin
from robot.gait import Standing
from robot.measures import MARGINS, SOLE_MARGIN, metrics, require_soles, sole_margins
from robot.recorder import Recorder
from robot.walk import PushPlan, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.errors import ConfigError

STAND = Scenario(
    sole=SoleChoice(young=3e6, size=0.06, element="p1"),
    gait=Standing(initial=0.03, final=0.03),
    settle=0.05,
)


def test_margins_of_a_run_are_those_of_its_nodal_forces():
    """Against `sole_margin` of what the simulator says of nodes and poses."""
    sim = simulator()
    state = start(sim, drop=0.0, speed=0.05)
    loaded = 0
    for _ in range(60):
        step = sim.step(state, REST, 1e-3)
        found = sole_margins(sim, step)
        local = np.concatenate([t.body.points for t in sim.touching]) + state.soles.displacement
        for b, touching in enumerate(sim.touching):
            nodes = sim.stepper.nodes_of(b)
            f = step.state.soles.forces[nodes].sum(axis=1)
            if not f.any():
                assert np.isnan(found[b]).all()
                continue
            carrying = f.any(axis=1)
            up = step.start.rotations[b].T @ [0.0, 0.0, 1.0]
            wanted = sole_margin(
                local[nodes][carrying],
                f[carrying],
                np.broadcast_to(touching.body.friction, len(f))[carrying],
                frames=frames_of(np.tile(up, (carrying.sum(), 1))),
                support=touching.body.points,
            )
            np.testing.assert_allclose(found[b], [wanted.slip, wanted.tilt], atol=1e-8)
            loaded += 1
        state = step.state
    assert loaded > 50


def test_the_least_margin_of_a_standing_robot_is_that_of_its_push():
    """Shear F on both soles: slip margin 1 - F/(mu m g) where the CoP is at its place."""
    push = PushPlan(force=(0.0, 30.0, 0.0), start=0.01, duration=1.0)
    done = execute(assemble_walk(replace(STAND, push=(push,))), RecordingOptions(margins=3))
    run, found = done.run, metrics(done.run)["sole margin"]
    assert done.error is None
    assert np.isfinite(run[SOLE_MARGIN]).all(axis=(1, 2)).nonzero()[0].tolist() == list(
        range(2, 60, 3)
    )
    least = np.nanargmin(run[SOLE_MARGIN].min(axis=2))
    assert found.value == np.nanmin(run[SOLE_MARGIN])
    assert f"at {run.time[least // 2]:.4g} s" in found.remark
    shear = np.linalg.norm(run["wrench_world"][:, :, :2], axis=2) / run["wrench_world"][:, :, 2]
    # at most what shear without yaw would leave
    bound = 1 - shear / 0.7
    with np.errstate(invalid="ignore"):
        assert (run[SOLE_MARGIN][..., 0] <= bound + 1e-6)[2::3].all()


def test_margins_need_a_compliant_sole():
    rigid = simulator(young=None)
    with pytest.raises(ConfigError, match="rigid feet have the wrench margin only"):
        require_soles(rigid)
    step = rigid.step(start(rigid), REST, 1e-3)
    assert np.isnan(sole_margins(rigid, step)).all()
    run = drop(rigid, 3).recorder.run()
    assert metrics(run)["sole margin"].value is None
    recorder = Recorder(rigid, start(rigid), 1e-3, extras={SOLE_MARGIN: MARGINS})
    recorder.record(step, REST, sole_margin=sole_margins(rigid, step))
    assert metrics(recorder.run())["sole margin"].value is None
