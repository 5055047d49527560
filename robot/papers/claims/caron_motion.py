"""Claims of the wrench cone's paper that need a robot's motion."""

from __future__ import annotations

from contact.papers.claims.four_papers import CARON
from sole.claims import Claim, Criterion, Experiment

__all__ = ["CARON_MOTION_CLAIMS"]

PLACE = "robot.papers.experiments.retimed_postures"
POSTURES_ARE_OURS = (
    "robot and postures are ours: what is tested is the method, and an agreement of the durations "
    "to a percent is a coincidence"
)

CARON_MOTION_CLAIMS = (
    Claim(
        paper=CARON,
        name="weak_stability",
        order=15,
        place="2.2, definition 1",
        says="a contact is weakly stable if accelerations, torques within limits and wrenches "
        "in their cones exist that keep it fixed",
        experiment=Experiment(at=f"{PLACE}:reproduce_stability", quick=4, full=20),
        given="it is a definition; the linear program is that definition in wrenches",
        ours="margin of the retimed motion {planned:.3f}; in half the time {halved:.3f}: no torque",
        remark="the definition as a linear program with the wrench as variable",
    ),
    Claim(
        paper=CARON,
        name="inverse_dynamics",
        order=55,
        place="1, 5",
        says="with the wrench as variable, fast inverse dynamics for variables without redundancy "
        "apply",
        experiment=Experiment(at=f"{PLACE}:reproduce_inversion", quick=3, full=4),
        given="in single support the six rows of the base are the wrench: both sides are the same "
        "equations of motion",
        ours="wrenches from the six rows of the base to {error:.0e} of the weight",
    ),
    Claim(
        paper=CARON,
        name="single_inversion",
        order=56,
        place="1, 5",
        says="in single support time-optimal retiming under the cone boils down to a single matrix "
        "inversion",
        experiment=Experiment(at=f"{PLACE}:reproduce_inversion", quick=3, full=4),
        given="with one contact the wrench follows from the six rows of the base by one change of "
        "axes, and is linear in both accelerations of the path: true by construction",
        ours="coefficients by three inverse dynamics, without a further inverse, to {error:.0e}",
        remark="per place of the path; the fastest time law itself is toppra's",
    ),
    Claim(
        paper=CARON,
        name="fig3",
        order=60,
        place="5, figure 3",
        says="a motion of HRP-4 through eleven postures on a foot, retimed under the cone of 45 % "
        "of the foot; one constraint is saturated at every instant",
        printed="7.285 s",
        experiment=Experiment(at=f"{PLACE}:reproduce_retiming", quick=4, full=4),
        criteria=(
            Criterion(number="active", low=0.95, trend=True),
            Criterion(number="margin", low=-1e-3, trend=True, reason="between grid points, too"),
            Criterion(number="duration", low=6.5, high=8.0),
        ),
        ours="{duration:.3f} s, a constraint active on {active:.1%} of the intervals",
        remark=POSTURES_ARE_OURS,
    ),
    Claim(
        paper=CARON,
        name="fig4",
        order=61,
        place="5, figure 4",
        says="the motion played as planned, and in 10 and 15 % less time: the foot stays, then "
        "stands on edges without a fall, then falls",
        printed="0, -10, -15 %",
        experiment=Experiment(at=f"{PLACE}:reproduce_speeds", quick=35, full=45),
        criteria=(
            Criterion(number="surface_0", low=0.99, trend=True),
            Criterion(number="fell_0", high=0.0, trend=True),
            Criterion(number="open_10", low=0.02, trend=True),
            Criterion(number="fell_10", high=0.0, trend=True),
            Criterion(number="fell_15", low=1.0, trend=True),
        ),
        ours="surface {surface_0:.0%}; at -10 % edges {open_10:.0%}, no fall; a fall at -15 %. "
        "Retimed for 45 % of the foot: surface {within:.0%} even at -15 %",
        remark="with 90 % of the foot and friction 0.5 in the plan, 0.8 in the simulation. The "
        "paper's 45 % leave no room for the loss of contact where the motion is tracked well: "
        "OpenHRP's stabiliser presumably moved the wrench by half the foot",
    ),
    Claim(
        paper=CARON,
        name="safe_yaw_law",
        order=62,
        place="4, 6",
        says="tau_safe is a sensible control law against unwanted yaw of the foot",
        experiment=Experiment(
            at="robot.papers.experiments.slippery_turn:reproduce_yaw_law", quick=14, full=40
        ),
        criteria=(
            Criterion(number="ratio", high=0.5, trend=True, reason="of the yaw without the law"),
            Criterion(number="tilt", high=0.1, trend=True, reason="deg more waist tilt"),
        ),
        ours="feet turn by {safe:.2f} instead of {plan:.2f} deg on friction 0.2",
        remark="waist and arms give the torque, by angular momentum about the vertical",
    ),
)
