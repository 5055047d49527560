"""Each criterion of touching, dragging and contacts of hands and feet turns on a spoilt model."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import pytest
from sabotage import Sabotage, none_missing, staged, turn

from robot.haptics import SoleProxy
from robot.papers.claims.chardonnet_robot import CHARDONNET_ROBOT_CLAIMS
from robot.papers.experiments import hands_and_feet, touch_and_drag
from robot.walk import ControlChoice, PullPlan, outside_forces
from sole.base.errors import LinearRangeWarning
from sole.claims import Effort

pytestmark = pytest.mark.long

NAMES = ("touching", "dragging", "fig1", "fig2")
CLAIMS = {c.name: c for c in CHARDONNET_ROBOT_CLAIMS if c.name in NAMES}
YIELD, TOUCH, SPRING = SoleProxy._compliance, SoleProxy.touch, PullPlan.force
PUSH = outside_forces.Push


def stiffer_block(patch):
    """The proxy takes the block for a hundredth stiffer than it is."""
    patch.setattr(SoleProxy, "_compliance", lambda proxy, N: 0.99 * YIELD(proxy, N))


def slippery_hold(patch):
    """Held points do not stick to their tips."""
    patch.setattr(SoleProxy, "touch", lambda proxy, tips, held=False: TOUCH(proxy, tips))


def one_spring(patch):
    """The spring is the same, whatever its stiffness says."""
    patch.setattr(
        PullPlan,
        "force",
        lambda pull, t, x, v: SPRING(replace(pull, stiffness=2000.0), t, x, v),
    )


def pulled(times):
    """Return a spoil: the robot gets `times` the force that the user feels."""
    return lambda patch: patch.setattr(
        outside_forces, "Push", lambda frame, wrench: PUSH(frame=frame, wrench=times * wrench)
    )


def far_rests(patch):
    """The palms do not reach the rests."""
    patch.setattr(hands_and_feet, "GAP", 0.1)


def heavier_table(patch):
    """The table weighs a quarter more than it says."""
    from robot import scenery

    made = scenery.FreeBox
    patch.setattr(scenery, "FreeBox", lambda mass, **rest: made(mass=1.25 * mass, **rest))


def soles(soft, hard):
    """Return a spoil: other moduli [Pa] of the soft and of the hard sole."""

    def swap(patch):
        patch.setattr(touch_and_drag, "SOFT", soft)
        patch.setattr(touch_and_drag, "HARD", hard)

    return swap


def limp(module, name):
    """Return a spoil: the joints' servos have a thousandth of their stiffness."""
    made = getattr(module, name)
    weak = ControlChoice(kp=10.0, kd=0.2)
    return lambda patch: patch.setattr(
        module, name, lambda *words, **more: replace(made(*words, **more), control=weak)
    )


TWICE, HARD_PULL = pulled(2.0), pulled(10.0)
LIMP_PULL = limp(touch_and_drag, "standing_pull")
SWAPPED, MUD = soles(1e7, 3e5), soles(2e4, 1e7)
SABOTAGES = (
    Sabotage(claim="touching", number="one_error", spoil=stiffer_block),
    Sabotage(claim="touching", number="two_error", spoil=stiffer_block),
    Sabotage(claim="touching", number="squeeze_force", spoil=slippery_hold),
    Sabotage(claim="touching", number="stretch_force", spoil=slippery_hold),
    Sabotage(claim="dragging", number="stiffer", spoil=one_spring),
    Sabotage(claim="dragging", number="waist_unfelt", spoil=HARD_PULL),
    Sabotage(claim="dragging", number="hand_unfelt", spoil=HARD_PULL),
    Sabotage(claim="dragging", number="waist_fell", spoil=LIMP_PULL),
    Sabotage(claim="dragging", number="hand_fell", spoil=LIMP_PULL),
    Sabotage(claim="fig1", number="fell", spoil=limp(hands_and_feet, "_between_rests")),
    Sabotage(claim="fig1", number="bodies", spoil=far_rests),
    Sabotage(claim="fig1", number="palms", spoil=far_rests),
    Sabotage(claim="fig1", number="balance", spoil=TWICE),
    Sabotage(claim="fig2", number="share", spoil=heavier_table),
    Sabotage(claim="fig2", number="soft_tilt", spoil=MUD),
    Sabotage(claim="fig2", number="tilt_ratio", spoil=SWAPPED),
)


@cache
def numbers(name, spoil=None):
    """Return the findings of a claim's experiment on a spoilt model; None: as it is."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore", LinearRangeWarning)
        if spoil is not None:
            spoil(patch)
        return CLAIMS[name].experiment.run(Effort()).numbers


IN_CI = [str(s) for s in SABOTAGES if s.claim == "touching"] + ["dragging-stiffer"]


@pytest.mark.slow
@pytest.mark.parametrize("sabotage", staged(SABOTAGES, IN_CI))
def test_a_spoilt_model_turns_the_criterion(sabotage):
    spoilt = numbers(sabotage.claim, sabotage.spoil)
    turn(CLAIMS[sabotage.claim], sabotage, numbers(sabotage.claim), spoilt)


def test_every_criterion_has_its_sabotage():
    none_missing(list(CLAIMS.values()), SABOTAGES)
