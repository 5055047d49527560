"""Claims of the penalty paper on the walk of a biped with fourteen joints."""

from __future__ import annotations

from contact.papers.claims.four_papers import RENGIFO
from sole.claims import Claim, Criterion, Experiment

__all__ = ["RENGIFO_WALK_CLAIMS"]

HOME = "robot.papers.experiments.vertex_ensemble"
WALK = Experiment(at=f"{HOME}:walk_of_figures", quick=30, full=30)
EPSILON = Experiment(at=f"{HOME}:compare_epsilons", quick=30, full=600)
CAUSES = Experiment(at=f"{HOME}:isolate_causes", quick=25, full=200)
STANDS = "ours: a walk that falls shows nothing"

RENGIFO_WALK_CLAIMS = (
    Claim(
        paper=RENGIFO,
        name="five_steps",
        order=60,
        place="IV",
        says="a walk of five steps of a biped of fourteen joints, on the eight vertices of its "
        "feet, with kp = 500 and kv = 250",
        printed="five steps",
        experiment=WALK,
        criteria=(
            Criterion(
                number="swings",
                low=5,
                high=5,
                reason="paper: five; ours: times of 0.1 s and more in which a whole foot is 5 mm "
                "above the ground",
            ),
            Criterion(number="fell", high=0, trend=True, reason="paper: it walks"),
        ),
        ours="{swings:.0f} swings seen in the heights, falls {fell:.0f}; mean force "
        "{mean_force:.5f} m g",
        picture="fig11",
        remark="masses, lengths, gait, friction and controller are not printed; ours: 43 kg, steps "
        "of 0.2 m in 0.4 s, landing at 0.05 m/s, mu = 0.7, a stabiliser",
    ),
    Claim(
        paper=RENGIFO,
        name="fig11",
        order=61,
        place="IV, figure 11",
        says="heights of the eight vertices over two seconds: each swing is one bump, and the foot "
        "does not touch before it lands",
        printed="four bumps in 2 s (text: five steps, caption: four), axis to 0.1 m",
        experiment=WALK,
        criteria=(
            Criterion(
                number="top",
                low=20,
                high=100,
                reason="paper: the axis, mm; ours: a bump of a fifth of it can be seen",
            ),
            Criterion(
                number="scuff",
                low=0,
                trend=True,
                reason="paper: no touch before the landing; ours: lowest point of the middle 85 % "
                "of each swing of the plan, mm",
            ),
            Criterion(number="fell", high=0, trend=True, reason=STANDS),
        ),
        ours="{in_two_seconds:.0f} bumps in 2 s, top {top:.1f} mm, never below {scuff:.2f} mm in "
        "the middle 85 % of each swing",
        remark="how many bumps fall into the 2 s is our choice of when the first foot leaves",
    ),
    Claim(
        paper=RENGIFO,
        name="fig12",
        order=62,
        place="IV, figure 12",
        says="after its first impact the right foot stays within two tenths of a millimetre",
        printed="axis of -0.2 to 0.2 mm, 1.2 to 1.6 s",
        experiment=WALK,
        criteria=(
            Criterion(
                number="stance_height_99",
                high=0.2,
                reason="paper: the axis, mm; ours: except a hundredth of the time",
            ),
            Criterion(
                number="stance_height",
                high=0.4,
                trend=True,
                reason="ours: no peak of more than twice the axis, mm",
            ),
            Criterion(number="fell", high=0, trend=True, reason=STANDS),
        ),
        ours="largest {stance_height:.3f} mm, 99 % within {stance_height_99:.3f} mm; in the whole "
        "walk {deepest:.2f} mm deep",
        remark="in the picture also the same walk on exact rigid contact (on the zero line) and on "
        "a sole of 1 MPa, which yields by more than the axis",
    ),
    Claim(
        paper=RENGIFO,
        name="fig13",
        order=63,
        place="IV, V, figure 13",
        says="in single support false impacts make vertical lines in the normal forces",
        printed="forces up to 500 N (axis as we read it)",
        experiment=WALK,
        criteria=(
            Criterion(
                number="lifts",
                low=20,
                trend=True,
                reason="paper: lines in all panels; ours: one lift-off for each vertex and swing "
                "stands for that",
            ),
            Criterion(
                number="within_500",
                low=99,
                reason="paper: the axis; ours: % of the forces that lie on it",
            ),
        ),
        ours="{lifts:.0f} lift-offs of vertices while their foot stands alone, {flights:.0f} "
        "flights in all; forces up to {peak:.0f} N; on exact rigid contact {rigid_lifts:.0f} "
        "lift-offs, on a sole of 1 MPa {soft_lifts:.0f}",
    ),
    Claim(
        paper=RENGIFO,
        name="fig14",
        order=72,
        place="V, figure 14",
        says="with a steady penetration of 1 um contact is steadier: fewer false impacts",
        printed="the picture; no number",
        experiment=EPSILON,
        criteria=(
            Criterion(
                number="lifts_high_1",
                high=1.0,
                trend=True,
                reason="paper: fewer; ours: the end of the interval of the ratio of lift-offs",
            ),
            Criterion(
                number="flights_high_1",
                high=1.0,
                trend=True,
                reason="paper: fewer; ours: the end of the interval of the ratio of all flights",
            ),
        ),
        least=(("distinct_1", 8),),
        ours="1 um: {lifts_ratio_1:.2f} ({lifts_low_1:.2f} to {lifts_high_1:.2f}) of the lift-offs "
        "and {flights_ratio_1:.2f} ({flights_low_1:.2f} to {flights_high_1:.2f}) of the flights of "
        "epsilon = 0, in {distinct_1:.0f} distinct pairs; 100 um: {lifts_ratio_100:.2f}, "
        "{flights_ratio_100:.2f}; {fallen:.0f} of {walked:.0f} walks fell",
        remark="epsilon = -1e-6 m: with contact at p <= 0 the printed sign pushes out",
    ),
    Claim(
        paper=RENGIFO,
        name="false_impact_cause",
        order=73,
        place="V",
        says="in single support it is the forces of the other bodies, varying in time, that break "
        "the contact",
        experiment=CAUSES,
        criteria=(
            Criterion(
                number="cut_share",
                high=50,
                trend=True,
                reason="ours: the load breaks most contacts, so cut forces at most half, %",
            ),
            Criterion(
                number="fitted_high",
                low=0.8,
                trend=True,
                reason="ours: the same load on forces that are not cut breaks as many, within a "
                "fifth; the end of the interval",
            ),
        ),
        least=(("distinct", 5),),
        ours="{cut_share:.0f} % of the lift-offs follow forces that (19) or (20) cut, in each of "
        "{distinct:.0f} distinct walks at least {cut_least:.0f} %; with forces fitted inside the "
        "cones, under the same motion, {fitted_ratio:.2f} ({fitted_low:.2f} to {fitted_high:.2f}) "
        "of the lift-offs are left",
        remark="the law knows the load of the present step here: nothing is late",
    ),
)
