"""Each criterion of the penalty paper's claims on bodies alone turns when the model is spoilt."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from sabotage import Sabotage, none_missing, turn

from contact.papers.claims.rengifo_points import RENGIFO_POINT_CLAIMS
from contact.papers.experiments import (
    box_vertices,
    falling_ball,
    held_forces,
    measured_restitution,
    older_laws,
    sliding_brick,
)
from contact.papers.penalty import (
    BouncingBall,
    Brick,
    HuntCrossley,
    Linearised,
    PenaltyLaw,
    SpringDamper,
    contact_time,
    restitution,
)
from sole.claims import Effort

JUDGED = [claim for claim in RENGIFO_POINT_CLAIMS if claim.criteria]
CLAIMS = {claim.name: claim for claim in JUDGED}
HUNT, LINEAR = "Hunt and Crossley", "linearised contact"
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


PATH = sliding_brick.integrate_slide


def slow_brick(given, angle):
    """A brick that friction stops a thousand times more slowly."""
    return Brick(PenaltyLaw(0.0, given.kv / 1000, given.friction), angle)


def smooth_path(brick, times):
    """Integrate with 1 % more friction than the closed form has."""
    return PATH(Brick(more_friction(brick.law), brick.angle), times)


def more_friction(given):
    return PenaltyLaw(given.kp, given.kv, 1.01 * given.friction, given.epsilon)


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


def lighter(mass, sides, **more):
    """A box of 1 % less mass than the claims think."""
    return BOX(0.99 * mass, sides, **more)


BOX = box_vertices.VertexBody.box
TILTED = box_vertices.VertexState.at((0, 0, 0.2), (0.005, 0.01, 0))  # too high to land in time


SABOTAGES = tuple(
    Sabotage(claim=claim, number=number, spoil=spoil, mends=number in MENDED)
    for MENDED in [{"spread", "peak_spread", "forms_differ", "lifts_printed", "lifts_known"}]
    for claim, number, spoil in (
        ("hunt_crossley", "hunt_bounce", older(HUNT, PULLS)),
        ("hunt_crossley", "hunt_torn", older(HUNT, HuntCrossley(2e4, 3e4, saturated=True))),
        ("hunt_crossley", "hunt_jump", older(HUNT, PULLS)),
        (
            "sunk_weight",
            "sunk",
            of(falling_ball, "SpringDamper", lambda k, c: SpringDamper(1.01 * k, c)),
        ),
        (
            "sunk_weight",
            "sunk_linearised",
            of(falling_ball, "Linearised", lambda law: SpringDamper(max(law.kp, 1.0), law.kv)),
        ),
        ("fig2", "blow_hard", law(kv=lambda kv: kv / 100)),
        ("fig2", "blow_soft", law(kv=lambda kv: 100 * kv)),
        ("fig2", "rest_hard", law(kv=lambda kv: kv / 100)),
        ("fig4", "end_0", law(kp=lambda kp: kp + 5.0)),
        ("fig4", "surface_1", of(falling_ball, "contact_time", lambda law: 3 * contact_time(law))),
        ("fig4", "surface_5", of(falling_ball, "contact_time", lambda law: 9 * contact_time(law))),
        (
            "fig4",
            "error",
            of(
                falling_ball,
                "Linearised",
                lambda law: Linearised(PenaltyLaw(law.kp, 1.01 * law.kv)),
            ),
        ),
        ("fig5", "plateau_0", law(kp=lambda kp: kp + 5.0)),
        ("fig5", "plateau_1", law(kp=lambda kp: 20 * kp)),
        ("restitution", "spread", of(measured_restitution, "restitution", of_ratio)),
        ("depth_kv", "depth_falls_with_kv", law(kv=lambda kv: 1e4 / kv if kv else 0.0)),
        ("depth_kv", "depth_falls_with_kp", law(kp=lambda kp: 1e6 / kp if kp else 0.0)),
        ("largest_force", "peak_spread", of(falling_ball, "BouncingBall", one_body)),
        ("any_mass", "linearised_mass", older(LINEAR, PULLS)),
        (
            "any_mass",
            "spring_mass",
            older("spring and damper", Linearised(PenaltyLaw(5e3, 30.0))),
        ),
        ("fig6", "way_error", of(sliding_brick, "integrate_slide", smooth_path)),
        ("fig6", "held", of(sliding_brick, "Brick", slow_brick)),
        ("fig6", "speed_end", of(sliding_brick, "Brick", slow_brick)),
        ("form_9", "forms_differ", of(Brick, "force", symmetric)),
        (
            "vertices",
            "rank",
            of(box_vertices, "SIDES", (0.2, 1e-9, 0.2)),
        ),
        ("vertices", "rest_error", of(box_vertices.VertexBody, "box", staticmethod(lighter))),
        ("vertices", "touching_end", of(box_vertices, "TILT", TILTED)),
        ("vertices", "force_end", of(box_vertices.VertexBody, "box", staticmethod(lighter))),
        ("released_load", "lifts_known", of(held_forces, "KNOWN", 1)),
        ("released_load_late", "lifts_late", of(held_forces, "LATE", 0)),
        ("epsilon_sign", "lifts_meant", pushed_out(kv=0.0)),
        ("epsilon_sign", "lifts_printed", pushed_out(kp=-500.0)),
    )
)


@cache
def healthy(experiment):
    return experiment.run(Effort()).numbers


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=str)
def test_a_spoilt_model_turns_the_criterion(sabotage, monkeypatch):
    claim = CLAIMS[sabotage.claim]
    whole = healthy(claim.experiment)
    sabotage.spoil(monkeypatch)
    turn(claim, sabotage, whole, claim.experiment.run(Effort()).numbers)


def test_every_criterion_has_its_sabotage():
    none_missing(JUDGED, SABOTAGES)
