"""Which factor the solver of a time step takes, and how many it keeps."""

from __future__ import annotations

import numpy as np
from step_cases import small_pad

from contact.ground import Plane
from contact.problem import Problem, SoleDelassus, certify
from contact.step import Body, StepOptions
from contact.step.step_solver import KEPT
from contact.swept_step import fast_step


def without(stepper, pad, gone):
    """Return a problem of all nodes but one, pressed and sticking, and its forces."""
    node = np.delete(np.arange(len(pad.points)), gone)
    K = len(node)
    W = SoleDelassus(
        compliances=stepper.bodies.compliances,
        scale=np.array([1e3]),
        node=node,
        frames=np.tile(np.eye(3), (K, 1, 1)),
        geometry=stepper.bodies.geometry,
        support=1e-3 * np.linalg.inv(np.diag([30, 30, 30, 0.8, 0.9, 0.5])),
    )
    forces = np.tile([0.0, 0.0, 20.0], (K, 1))
    return Problem(W, -W.apply(forces), np.asarray(2.0)), forces


def test_a_factor_serves_its_own_nodes_only_and_few_are_kept():
    pad = small_pad()
    stepper = fast_step([Body.of(pad, friction=2.0)], Plane(), StepOptions(substeps=2))
    for gone in range(len(pad.points)):
        problem, forces = without(stepper, pad, gone)
        status = np.ones(problem.contacts, np.int64)
        found = stepper.solver.solve(problem, forces, status, 1000)
        assert found.method == "sticking" and found.solved
        assert certify(problem, found.reactions).error < 1e-12
        np.testing.assert_allclose(found.reactions, forces, atol=1e-8)
    assert len(pad.points) > KEPT
    assert len(stepper.solver.factors) == KEPT
    assert len(stepper.solver.soles) == KEPT


def test_the_error_of_any_sole_and_friction_widen_the_certificate():
    pad = small_pad()
    stepper = fast_step([Body.of(pad, friction=2.0)], Plane(), StepOptions(substeps=2))
    problem, forces = without(stepper, pad, 0)
    status = np.ones(problem.contacts, np.int64)
    stepper.solver.solve(problem, forces, status, 1000)
    (factor,) = stepper.solver.factors.values()
    (sole,) = (s for s in factor.soles if s is not None)
    object.__setattr__(sole, "error", 1e-4)  # as of a matrix near singular
    factor.__dict__.pop("_together")
    claimed = factor.solve(problem, 1e-6, forces).certificate.natural_map
    # s = b at the start, as y = S A'r is exact: 2 error (1 + mu) |q - A y| / |q|.
    moved = problem.operator.support @ np.einsum("kac,ka->c", problem.operator.motions, forces)
    s = problem.offset + np.einsum("kac,c->ka", problem.operator.motions, moved)
    expected = 2 * 1e-4 * 3.0 * np.linalg.norm(s) / problem.size
    np.testing.assert_allclose(claimed, expected, rtol=1e-6)
