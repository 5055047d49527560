"""Each criterion of the penalty paper's claims on bodies alone turns when the model is spoilt."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, staged, turn

from contact.papers.claims.rengifo_points import RENGIFO_POINT_CLAIMS
from contact.papers.experiments import (
    box_vertices,
    falling_ball,
    held_forces,
    measured_restitution,
    older_laws,
)
from contact.papers.penalty import (
    BouncingBall,
    Brick,
    HuntCrossley,
    PenaltyLaw,
    SpringDamper,
    contact_time,
    restitution,
)
from sole.claims import Effort

JUDGED = [claim for claim in RENGIFO_POINT_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
HUNT = "Hunt and Crossley"
PULLS = SpringDamper(5e3, 30.0)


def law(kp=lambda kp: kp, kv=lambda kv: kv):
    """Return a spoil: balls fall on another law than the claim says."""

    def ball(given, **more):
        return BouncingBall(PenaltyLaw(kp(given.kp), kv(given.kv)), **more)

    return lambda patch: patch.setattr(falling_ball, "BouncingBall", ball)


def older(name, other):
    """Return a spoil: a law of the comparison is another one."""
    return lambda patch: patch.setitem(older_laws.NORMAL_LAWS, name, ("C1-", other))


def of(module, name, value):
    """Return a spoil: `name` in a module is another thing."""
    return lambda patch: patch.setattr(module, name, value)


def symmetric(self, velocity):
    """Saturate friction in both directions, as (9) is meant."""
    return np.sign(velocity) * self.mass * self.grip


def one_body(given, *, mass=1.0, height=0.1):
    """A law whose largest force knows kv alone."""
    return BouncingBall(PenaltyLaw(10.0, given.kv), mass=1.0, height=0.1)


def pushed_out(**gains):
    """Return a spoil: the ball on epsilon has other gains."""
    return of(falling_ball, "_pushed_out", partial(falling_ball._pushed_out, **gains))


def of_ratio(given):
    """Restitution as the paper says: of kp/kv."""
    return restitution(PenaltyLaw(given.kp / given.kv, 1.0))


TILTED = box_vertices.VertexState.at((0, 0, 0.2), (0.005, 0.01, 0))  # too high to land in time


SABOTAGES = tuple(
    Sabotage(claim=claim, number=number, spoil=spoil, mends=number in MENDED)
    for MENDED in [{"spread", "peak_spread", "forms_differ", "lifts_printed"}]
    for claim, number, spoil in (
        ("hunt_crossley", "hunt_bounce", older(HUNT, PULLS)),
        ("hunt_crossley", "hunt_torn", older(HUNT, HuntCrossley(2e4, 3e4, saturated=True))),
        ("hunt_crossley", "hunt_jump", older(HUNT, PULLS)),
        ("fig4", "end_0", law(kp=lambda kp: kp + 5.0)),
        ("fig4", "surface_1", of(falling_ball, "contact_time", lambda law: 3 * contact_time(law))),
        ("fig4", "surface_5", of(falling_ball, "contact_time", lambda law: 9 * contact_time(law))),
        ("fig5", "plateau_0", law(kp=lambda kp: kp + 5.0)),
        ("fig5", "plateau_1", law(kp=lambda kp: 20 * kp)),
        ("restitution", "spread", of(measured_restitution, "restitution", of_ratio)),
        ("largest_force", "peak_spread", of(falling_ball, "BouncingBall", one_body)),
        ("form_9", "forms_differ", of(Brick, "force", symmetric)),
        ("vertices", "touching_end", of(box_vertices, "TILT", TILTED)),
        ("vertices", "force_end", of(box_vertices, "TILT", TILTED)),
        ("released_load_late", "lifts_late", of(held_forces, "LATE", 0)),
        ("epsilon_sign", "lifts_meant", pushed_out(kv=0.0)),
        ("epsilon_sign", "lifts_printed", pushed_out(kp=-500.0)),
    )
)

# One of each experiment.
IN_CI = {
    "hunt_crossley-hunt_torn",
    "fig4-surface_5",
    "fig5-plateau_1",
    "largest_force-peak_spread",
    "form_9-forms_differ",
    "epsilon_sign-lifts_meant",
}


@cache
def healthy(experiment):
    return experiment.run(Effort()).numbers


@pytest.mark.parametrize("sabotage", staged(SABOTAGES, IN_CI))
def test_a_spoilt_model_turns_the_criterion(sabotage, monkeypatch):
    claim = CLAIMS[sabotage.claim]
    whole = healthy(claim.experiment)
    sabotage.spoil(monkeypatch)
    turn(claim, sabotage, whole, claim.experiment.run(Effort()).numbers)


def test_every_criterion_has_its_sabotage():
    none_missing(JUDGED, SABOTAGES)
