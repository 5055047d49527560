"""Snapshots of all nodes: of one step, and of many steps of a block at once."""

from __future__ import annotations

import numpy as np

from robot.fused import StepBlock
from robot.recorder.recorded import NodalSnapshot
from robot.simulator import SimStep
from sole.base.arrays import FloatArray
from sole.base.sheet import Sheet


def snapshot(step: SimStep) -> NodalSnapshot:
    """Return the nodes in a step, or in the last of its parts."""
    last, soles = step.last, step.state.soles
    rotations, places = last.poses
    return NodalSnapshot(
        time=step.state.time,
        forces=np.array(soles.forces),
        displacements=np.array(soles.displacement),
        positions=last.contact.positions,
        places=np.array(places),
        rotations=np.array(rotations),
    )


def block_snapshots(block: StepBlock, steps: range) -> list[NodalSnapshot]:
    """Return the nodes in some steps of a block.

    Positions x + U are those of the start of a step: U at the end of the step before.
    """
    a, soles, points = block.arrays, block.start.soles, block.parts.affine.bodies.points
    chosen = slice(steps.start, steps.stop, steps.step)
    motion, sticking = a.motion_seen[chosen], a.sticking_seen
    after = sticking[chosen]
    own, of_soles = block.parts.places, soles.layout  # type: ignore[attr-defined]
    place, shape = of_soles.places["U"]
    sheets = [sticking[k - 1] if k else soles.buffer for k in steps]  # type: ignore[attr-defined]
    before = np.array([sheet[place] for sheet in sheets]).reshape(-1, *shape)
    arrays = (
        _parts(of_soles, after, "forces"),
        _parts(of_soles, after, "U"),
        points + before,
        _parts(own, motion, "p"),
        _parts(own, motion, "R"),
    )
    times = a.times[chosen].tolist()
    return [NodalSnapshot(t, *parts) for t, *parts in zip(times, *arrays, strict=True)]


def _parts(sheet: Sheet, numbers: FloatArray, name: str) -> FloatArray:
    """Return a copy of one part of many sheets: a view would keep all of them."""
    place, shape = sheet.places[name]
    return np.array(numbers[:, place]).reshape(-1, *shape)
