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
        criteria=(
            Criterion(
                number="fields_held", low=1, trend=True, reason="paper: of any field, so of each"
            ),
        ),
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
            Criterion(
                number="mismatches",
                high=0,
                trend=True,
                reason="paper: no more and no less than forces at the vertices",
            ),
            Criterion(
                number="error",
                high=1e-9,
                trend=True,
                reason="ours: of the margin, ten times the linear programmes' tolerance",
            ),
        ),
        least=(("least_hits", 1),),
        ours="{mismatches:.0f} mismatches in {wrenches:.0f} wrenches (at least {least_hits:.0f} "
        "next to each of 16 facets, 1e-6 away) with linear programmes on vertex forces; margins "
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
        given="without shear (17)-(19) are |tau^x| <= Y f^z and |tau^y| <= X f^z: the ZMP's two "
        "coordinates times f^z, by its definition",
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
            Criterion(
                number="middle_error",
                high=1e-6,
                trend=True,
                reason="ours: of the range, next to linear programmes on vertex forces of 1e-7",
            ),
            Criterion(
                number="sheared",
                high=0.95,
                trend=True,
                reason="paper: shear narrows; ours: of each wrench, by a twentieth at least if the "
                "shear is a tenth of its limit",
            ),
            Criterion(
                number="tilted",
                high=0.95,
                trend=True,
                reason="paper: roll and pitch torques narrow; ours: as for shear",
            ),
            Criterion(
                number="corner",
                high=1e-6,
                trend=True,
                reason="paper: only tau_safe is left; ours: of the range, as for the middle",
            ),
        ),
        ours="range of +-{half_width:.2f} N m under 390 N by vertex forces; at most {sheared:.2f} "
        "of it with shear, {tilted:.2f} with roll and pitch, down to {least_width:.2f} with both, "
        "{corner:.0e} with the ZMP at a corner; the middle is tau_safe to {middle_error:.0e} of it",
    ),
    Claim(
        paper=CARON,
        name="yaw_limits_motion",
        order=41,
        place="4, 5",
        says="a motion at the limit of the cone breaks contact when it is played faster",
        experiment=YAW,
        given="the motion and its wrenches are ours, made to stand at the limit: accelerations "
        "grow by 1/(1 - p)^2 when a motion is played faster",
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
        criteria=(
            Criterion(
                number="times_slower", low=1, trend=True, reason="paper: faster, by any factor"
            ),
        ),
        ours="vertex forces by NNLS take {times_slower:.0f} times as long for one wrench (more in "
        "docs/results/benchmarks.md)",
    ),
)
