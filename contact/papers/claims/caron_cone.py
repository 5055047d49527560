"""Claims of the wrench cone's paper on wrenches alone."""

from __future__ import annotations

from contact.papers.claims.four_papers import CARON
from sole.claims import Claim, Criterion, Experiment

__all__ = ["CARON_CONE_CLAIMS"]

HOME = "contact.papers.experiments"
CONE = Experiment(at=f"{HOME}.cone_validation:reproduce_cone", quick=5, full=120)
YAW = Experiment(at=f"{HOME}.yaw_bounds:reproduce_yaw_bounds", quick=1, full=2)

CARON_CONE_CLAIMS = (
    Claim(
        paper=CARON,
        name="vertices_suffice",
        order=20,
        place="3, proposition 1",
        says="what a pressure and shear field on a convex polygon gives, forces at its vertices "
        "give too, in the same friction cones",
        experiment=CONE,
        criteria=(Criterion(number="fields_held", low=1, trend=True, reason="of random fields"),),
        ours="{fields_held:.0%} of {fields:.0f} random fields of 40 patches",
    ),
    Claim(
        paper=CARON,
        name="closed_form",
        order=30,
        place="4, proposition 2 (15)-(20)",
        says="for a rectangle the wrench cone is the closed form (15)-(20), no more and no less",
        experiment=CONE,
        criteria=(
            Criterion(number="mismatches", high=0, trend=True, reason="against vertex forces"),
            Criterion(number="least_hits", low=1, trend=True, reason="wrenches at every facet"),
            Criterion(number="error", high=1e-9, trend=True, reason="of the margin"),
        ),
        ours="{mismatches:.0f} mismatches in {wrenches:.0f} wrenches (at least {least_hits:.0f} "
        "beside each of 16 facets, 1e-6 away) with linear programmes on vertex forces; margins "
        "agree to {error:.0e}",
        remark="the vertex forces have pyramids as cones, as in (13)-(14)",
    ),
    Claim(
        paper=CARON,
        name="zmp",
        order=31,
        place="4 (17)-(19)",
        says="(17)-(19) are the condition that the ZMP is in the support area",
        experiment=CONE,
        criteria=(Criterion(number="zmp_mismatches", high=0, trend=True),),
        ours="{zmp_mismatches:.0f} mismatches in 20 000 wrenches without shear",
    ),
    Claim(
        paper=CARON,
        name="safe_yaw",
        order=40,
        place="4",
        says="the safest yaw torque is not zero but the middle of the bounds of (20); shear and "
        "roll or pitch torques narrow the range, at a corner only tau_safe is left",
        experiment=CONE,
        criteria=(
            Criterion(number="middle_error", high=1e-9, trend=True, reason="N m"),
            Criterion(number="half_width_corner", high=1e-9, trend=True, reason="N m at a corner"),
        ),
        ours="range of +-{half_width:.2f} N m under 390 N, +-{half_width_sheared:.2f} with shear, "
        "+-{half_width_tilted:.2f} with roll, +-{half_width_corner:.0e} around {safe_corner:.2f} "
        "with the ZMP at a corner",
    ),
    Claim(
        paper=CARON,
        name="yaw_limits_motion",
        order=41,
        place="4, 5",
        says="a motion at the limit of the cone breaks contact when it is played faster",
        experiment=YAW,
        criteria=(
            Criterion(number="margin_0", low=0, trend=True, reason="as planned"),
            Criterion(number="margin_10", high=0, trend=True, reason="10 % shorter"),
        ),
        ours="least margins {margin_0:.3f}, {margin_5:.3f}, {margin_10:.3f}, {margin_15:.3f} at 0, "
        "-5, -10, -15 % of the time; yaw breaks first; tau_safe is up to {safe_range:.1f} N m",
        picture="yaw_bounds",
        remark="wrenches of an analytic motion of 7.285 s, no robot: the robot's motion is fig4",
    ),
    Claim(
        paper=CARON,
        name="faster",
        order=50,
        place="abstract, 6",
        says="the closed form is simpler and faster than individual contact forces",
        experiment=CONE,
        criteria=(Criterion(number="times_slower", low=1, trend=True),),
        ours="vertex forces by NNLS take {times_slower:.0f} times as long for one wrench (more in "
        "docs/benchmarks.md)",
    ),
)
