"""Which joint of a leg is its knee: the one that draws the foot nearest to the hip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray

Legs = tuple[tuple[int, ...], tuple[int, ...]]
BEND = 0.8  # rad by which each joint is tried
LATERAL = 0.7  # least sideways part of the axis of a knee


def knees_of(model: Any, q: FloatArray, legs: Legs) -> list[tuple[int, float]]:
    """Return the knee of each leg and its angle at q (nq,) [rad].

    The knee is the joint whose turn by +-`BEND` changes the distance between the leg's first and
    last joint most. It turns sideways, between two others that do; a leg without an ankle ends in
    its knee.
    """
    knees = [_knee(model, q, leg) for leg in legs if leg]
    return [(j, float(q[model.joints[j].idx_q])) for j in knees]


def sideways_parts(model: Any, q: FloatArray, leg: Sequence[int]) -> FloatArray:
    """Return (n,): the y part, in the world at q, of the axes of a leg's joints."""
    import pinocchio as pin

    data = model.createData()
    pin.computeJointJacobians(model, data, q)
    return np.array(
        [pin.getJointJacobian(model, data, j, pin.WORLD)[4, model.joints[j].idx_v] for j in leg]
    )


def _knee(model: Any, q: FloatArray, leg: Sequence[int]) -> int:
    parts = sideways_parts(model, q, leg)
    pitches = [j for j, part in zip(leg, parts, strict=True) if abs(part) > LATERAL]
    knees = pitches[1:-1] or pitches[-1:] or leg  # between hip and ankle; last without an ankle
    return max(knees, key=lambda j: _drawn(model, q, leg, j))


def _drawn(model: Any, q: FloatArray, leg: Sequence[int], joint: int) -> float:
    """Return by how much a turn of a joint changes the distance between the ends of its leg [m]."""
    import pinocchio as pin

    data = model.createData()

    def length(turn: float) -> float:
        turned = np.array(q)
        turned[model.joints[joint].idx_q] += turn
        pin.forwardKinematics(model, data, turned)
        return float(np.linalg.norm(data.oMi[leg[-1]].translation - data.oMi[leg[0]].translation))

    return max(abs(length(turn) - length(0.0)) for turn in (-BEND, BEND))
