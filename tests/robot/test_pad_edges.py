"""Edges of what is asked of a foot, from the pads that touch."""

from __future__ import annotations

import numpy as np
import pytest
from robot_cases import feet

from robot.control import ForceChoice, ForceControl, Sensed
from robot.control.pad_edges import AFTER, PadEdges
from robot.gait import plan_standing
from robot.sensing import pads_of

T = 1e-3
WHOLE = np.array([[[-0.12, -0.06], [0.12, 0.06]]] * 2)
# of each foot: heel, toes
BOXES = np.array([[[-0.13, -0.07], [-0.05, 0.07]], [[0.05, -0.07], [0.13, 0.07]]] * 2)
SIDES = np.array([0, 0, 1, 1])
ON = np.array([True, True])


def after(edges, switches, seconds, touching=ON):
    for _ in range(round(seconds / T)):
        found = edges.update(np.array(switches, bool), touching, T)
    return found


def test_pads_that_hang_bound_the_foot_and_count_once_they_closed():
    edges = PadEdges(WHOLE, BOXES, SIDES, 0.01)
    assert after(edges, [1, 0, 1, 1], AFTER - 2 * T) == pytest.approx(WHOLE)  # not sure yet
    found = after(edges, [1, 0, 1, 1], 5 * T)
    assert found[0] == pytest.approx(np.array([[-0.12, -0.06], [-0.06, 0.06]]))  # the heel alone
    assert found[1] == pytest.approx(WHOLE[1])
    after(edges, [1, 1, 1, 1], T)
    assert after(edges, [1, 0, 0, 1], 0.1) == pytest.approx(WHOLE)  # toes have been down
    after(edges, [0, 0, 1, 1], T, np.array([False, True]))
    assert after(edges, [0, 1, 1, 1], 0.1)[0] == pytest.approx(  # another step: toes alone
        np.array([[0.06, -0.06], [0.12, 0.06]])
    )


def test_a_foot_in_the_air_is_judged_anew_and_nothing_is_asked_of_what_nobody_feels():
    edges = PadEdges(WHOLE, BOXES, SIDES, 0.01)
    after(edges, [1, 0, 1, 1], 0.1)
    after(edges, [0, 0, 1, 1], T, np.array([False, True]))
    assert after(edges, [0, 1, 1, 1], AFTER - 2 * T) == pytest.approx(WHOLE)  # it has just landed
    assert after(edges, [0, 1, 1, 1], 5 * T)[0, 0, 0] == pytest.approx(0.06)
    edges.reset()
    assert after(edges, [0, 0, 0, 0], 0.1) == pytest.approx(WHOLE)  # load, but no switch


def test_edges_stay_within_the_tread_and_in_order():
    found = after(PadEdges(WHOLE, BOXES, SIDES, 0.0), [1, 0, 0, 1], 0.1)
    assert found[0] == pytest.approx(np.array([[-0.12, -0.06], [-0.05, 0.06]]))
    assert found[1] == pytest.approx(np.array([[0.05, -0.06], [0.12, 0.06]]))
    narrow = after(PadEdges(WHOLE, BOXES, SIDES, 0.05), [1, 0, 1, 1], 0.1)[0]
    assert narrow == pytest.approx(np.array([[-0.09, -0.02], [-0.09, 0.02]]))  # a line


def test_what_has_closed_is_remembered():
    edges, other = (PadEdges(WHOLE, BOXES, SIDES, 0.01) for _ in range(2))
    after(edges, [1, 0, 1, 1], 0.03)
    other.restore(edges.arrays())
    assert after(other, [1, 0, 1, 1], 0.02) == pytest.approx(after(edges, [1, 0, 1, 1], 0.02))
    assert edges.update(np.ones(4, bool), ON, T)[0, 1, 0] > 0
    edges.reset()
    assert not edges.seen.any()


def test_force_control_asks_for_no_torque_that_hanging_pads_would_give():
    """One foot hangs over an edge behind its middle: what it may be asked for ends there."""
    on = feet()
    plan, pads = plan_standing(on.robot, 0.3), pads_of(on)
    sides = np.repeat(pads.sides, 2)  # one pad a foot is cut in halves
    front = np.concatenate([sole.points[:, 0] > 0 for sole in on.soles]).astype(int)
    nodes = 2 * pads.nodes + front
    law = ForceControl(on, plan, choice=ForceChoice(U="pads"), pads=(sides, nodes), period=T)
    W = np.zeros((2, 6))
    W[:, 2] = 250.0
    q = plan.q_ref[0].copy()
    q[0] -= 0.05  # it leans back: the centre of pressure would have to go behind the heel
    for k in range(60):
        switches = np.array([False, True, True, True])
        law.update(Sensed(q=q, v=plan.v_ref[0], wrenches=W, switches=switches), k * T)
    T_y, F = law.memory.desired[:, 1], law.memory.desired[:, 2]
    assert -T_y[0] / F[0] >= 0.0 - 1e-9  # the left heel hangs
    assert -T_y[1] / F[1] < -0.04
