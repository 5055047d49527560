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
SURFACE = "paper: surface contact; ours: except a hundredth of the time"
OPEN = "paper: contact is lost; ours: for a fiftieth of the time and more"
AT_ONCE = (
    "paper: contact is lost; ours: for a two-hundredth of the time and more, since round-off alone "
    "moves the share at -5 % between 1.5 and 5 %"
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
        "of the foot; at least one contact constraint is saturated at every instant",
        printed="7.285 s",
        experiment=Experiment(at=f"{PLACE}:reproduce_retiming", quick=4, full=4),
        criteria=(
            Criterion(
                number="contact_active",
                low=0.97,
                trend=True,
                reason="paper: always; ours: an interval in which the active row changes has none",
            ),
        ),
        ours="{duration:.3f} s, a contact constraint active in {contact_active:.1%} of the time, "
        "margin between grid points {margin:.0e}",
        remark=POSTURES_ARE_OURS,
    ),
    Claim(
        paper=CARON,
        name="fig4",
        order=61,
        place="5, figure 4",
        says="the motion for 45 % of the foot, played as planned, and in 10 and 15 % less time: "
        "the foot stays, then stands on edges without a fall, then falls",
        printed="0, -10, -15 %",
        experiment=Experiment(at=f"{PLACE}:reproduce_speeds", quick=50, full=50),
        criteria=(
            Criterion(number="surface_0", low=0.99, trend=True, reason=SURFACE),
            Criterion(number="fell_0", high=0.0, trend=True, reason="paper: it stands"),
            Criterion(number="fell_5", high=0.0, trend=True, reason="paper: it stands"),
            Criterion(number="open_10", low=0.02, trend=True, reason=OPEN),
            Criterion(number="fell_10", high=0.0, trend=True, reason="paper: it stands"),
            Criterion(number="fell_15", low=1.0, trend=True, reason="paper: it falls"),
        ),
        ours="surface {surface_0:.0%} as planned, {surface_10:.0%} at -10 %, {surface_15:.0%} at "
        "-15 %; falls at -15 %: {fell_15:.0f}",
        remark="half length and half width times 0.45. With 45 % of the area, 0.67 times each, the "
        "robot stands on the whole foot at -15 %, too. Both leave no room for the loss of contact "
        "where the motion is tracked well: OpenHRP's stabiliser presumably moved the wrench by "
        "half the foot",
    ),
    Claim(
        paper=CARON,
        name="fig4_tight",
        order=62,
        place="5",
        says="with good tracking a retimed motion executes as planned, and contact breaks as soon "
        "as it is played faster",
        experiment=Experiment(at=f"{PLACE}:play_at_the_limit", quick=20, full=40),
        criteria=(
            Criterion(number="surface_0", low=0.99, trend=True, reason=SURFACE),
            Criterion(number="fell_0", high=0.0, trend=True, reason="paper: it executes"),
            Criterion(number="open_5", low=0.005, trend=True, reason=AT_ONCE),
        ),
        ours="surface {surface_0:.0%}; at -5 % edges {open_5:.0%}, falls {fell_5:.0f}; at -10 % "
        "{open_10:.0%}, {fell_10:.0f}; at -15 % {open_15:.0%}, {fell_15:.0f}",
        remark="with 90 % of the foot and friction 0.5 in the plan, 0.8 in the simulation; speeds "
        "beyond -5 % in the full run alone",
    ),
    Claim(
        paper=CARON,
        name="safe_yaw_law",
        order=63,
        place="4, 6",
        says="tau_safe is a sensible control law against unwanted yaw of the foot",
        experiment=Experiment(
            at="robot.papers.experiments.slippery_turn:reproduce_yaw_law", quick=30, full=600
        ),
        criteria=(
            Criterion(
                number="ratio_high",
                high=0.5,
                trend=True,
                reason="paper: it prevents yaw; ours: half or less, by the end of the interval",
            ),
            Criterion(
                number="more_fall",
                high=0,
                trend=True,
                reason="ours: sensible means that no walk falls for it",
            ),
            Criterion(
                number="tilt_high",
                high=0.1,
                trend=True,
                reason="ours: sensible means that the waist tilts by no more than 0.1 deg for it",
            ),
        ),
        least=(("distinct", 10), ("turned", 6)),
        ours="feet turn by {safe:.2f} instead of {plan:.2f} deg, {ratio:.2f} ({ratio_low:.2f} to "
        "{ratio_high:.2f}) of it, in {turned:.0f} of {distinct:.0f} distinct pairs of "
        "{walked:.0f}; {more_fall:.0f} fall for the law, {fewer_fall:.0f} without",
        remark="pairs in which a foot turns by 0.5 deg and more, with the law or without: less is "
        "the twist of the pads; friction 0.14 to 0.22, hrp4-like and hrp2-like; waist and arms "
        "give the torque, by angular momentum about the vertical",
    ),
)
