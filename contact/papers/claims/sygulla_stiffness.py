"""Claims of LOLA's force control paper on a foot alone: its stiffness U and the force law."""

from __future__ import annotations

from contact.papers.claims.four_papers import SYGULLA
from sole.claims import Claim, Criterion, Experiment

__all__ = ["SYGULLA_STIFFNESS_CLAIMS"]

HOME = "contact.papers.experiments"
FOOT = Experiment(at=f"{HOME}.rolling_foot:reproduce_rolling_foot", quick=10, full=40)
LAW = Experiment(at=f"{HOME}.force_law_plants:reproduce_force_law", quick=10, full=40)

SYGULLA_STIFFNESS_CLAIMS = (
    Claim(
        paper=SYGULLA,
        name="explicit_model",
        order=10,
        place="IV.A (1)-(8)",
        says="geometry, stiffness and coupling of torques and forces of a foot are one symmetric "
        "matrix U; for small angles it is made of area, its centre and second moments",
        experiment=FOOT,
        given="symmetric by construction: (1) to (8) sum c_i times products of coordinates, and "
        "for small angles (8) is their expansion",
        ours="asymmetry {asymmetry:.0e}; (8) is within {linear_error:.0e} of the model with "
        "cosines at 0.1 and 0.2 mrad",
        remark="U is the gradient of wrenches: a bonded rubber pad is stiffer than E/d, see "
        "docs/foot_stiffness.md",
    ),
    Claim(
        paper=SYGULLA,
        name="closed_contacts",
        order=20,
        place="IV.A",
        says="with contacts closed in part U changes, and may become singular",
        experiment=FOOT,
        criteria=(
            Criterion(
                number="springs_edge",
                high=0.05,
                trend=True,
                reason="paper: may become singular; ours: a twentieth of the whole foot's",
            ),
            Criterion(
                number="fem_edge",
                high=0.05,
                trend=True,
                reason="paper: may become singular; ours: a twentieth, in finite elements",
            ),
        ),
        ours="with the CoP {last_rest:.0f} mm ahead of the centre, of 125 to the edge and the last "
        "whole millimetre before the foot tips over, the weakest motion keeps {springs_edge:.1e} "
        "of its stiffness on springs, {fem_edge:.1e} in finite elements; {springs_area:.2f} of the "
        "area touches",
    ),
    Claim(
        paper=SYGULLA,
        name="force_law",
        order=40,
        place="IV.B (14)-(15)",
        says="with the law on U the error of a foot's wrench decays as a first-order system with "
        "the time constant delta",
        printed="delta e' + e = 0, delta = 0.02 s, 1 ms",
        experiment=LAW,
        criteria=(
            Criterion(
                number="pressed_error",
                high=0.01,
                trend=True,
                reason="paper: delta e' + e = 0; ours: within 1 % of the first error on a sole of "
                "finite elements that is pressed, where nodes slip and lift",
            ),
        ),
        ours="{ratio:.4f} per ms (1 - T/delta = 0.95) on springs, {pressed_ratio:.4f} on a pressed "
        "sole, within {pressed_error:.4f} of the law; stable up to 40 times stiffer than assumed "
        "({stiff_39:.2g} left at 39, {stiff_41:.3g} at 41)",
        picture="force_law",
    ),
)
