"""Each criterion of the deformable soles' claims on contact problems turns on a spoilt model."""

from __future__ import annotations

from functools import cache

import pytest
from sabotage import Sabotage, none_missing, turn

from contact.ground import Plane
from contact.papers.claims.chardonnet_contact import CHARDONNET_CONTACT_CLAIMS
from contact.papers.experiments import condensed_pad, lemke_pyramids
from contact.rigid_bodies import RigidBodies
from contact.solvers import GaussSeidel
from contact.step import StepOptions
from sole.claims import Effort, Experiment

JUDGED = [claim for claim in CHARDONNET_CONTACT_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
SOLVE = GaussSeidel.solve


def slow(solver, problem):
    """Solve a hundred times over."""
    for _ in range(99):
        SOLVE(solver, problem)
    return SOLVE(solver, problem)


def hasty(patch):
    """Gauss-Seidel ends far from the solution."""
    patch.setattr(lemke_pyramids, "GaussSeidel", lambda tolerance: GaussSeidel(tolerance=3e-2))


def loose(bodies, ground):
    """Return a world whose contacts are solved to a thousandth."""
    assert isinstance(ground, Plane)
    return RigidBodies(bodies, ground, StepOptions(tolerance=1e-3, sticking=False))


SABOTAGES = (
    Sabotage(
        claim="gauss_seidel",
        number="least_times",
        spoil=lambda patch: patch.setattr(GaussSeidel, "solve", slow),
    ),
    Sabotage(claim="gauss_seidel", number="least_precise", spoil=hasty),
    Sabotage(claim="gauss_seidel", number="exact_force", spoil=hasty),
    Sabotage(
        claim="same_form",
        number="step_residual",
        spoil=lambda patch: patch.setattr(condensed_pad, "RigidBodies", loose),
    ),
)


@cache
def healthy(experiment: Experiment):
    return experiment.run(Effort()).numbers


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=str)
def test_a_spoilt_model_turns_the_criterion(sabotage, monkeypatch):
    claim = CLAIMS[sabotage.claim]
    whole = healthy(claim.experiment)
    sabotage.spoil(monkeypatch)
    turn(claim, sabotage, whole, claim.experiment.run(Effort()).numbers)


def test_every_criterion_has_its_sabotage():
    none_missing(JUDGED, SABOTAGES)
