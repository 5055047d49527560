"""Claims of the penalty paper on the walk of a biped with fourteen joints."""

from __future__ import annotations

from contact.papers.claims.four_papers import RENGIFO
from sole.claims import Claim, Criterion, Experiment

__all__ = ["RENGIFO_WALK_CLAIMS"]

HOME = "robot.papers.experiments"
WALK = Experiment(at=f"{HOME}.vertex_ensemble:reproduce_vertex_walk", quick=50, full=600)
CAUSES = Experiment(at=f"{HOME}.vertex_ensemble:isolate_causes", quick=25, full=100)

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
            Criterion(number="swings", low=5, high=5, reason="printed"),
            Criterion(number="fell", high=0, trend=True),
            Criterion(number="mean_force", low=0.999, high=1.001, trend=True, reason="m g"),
        ),
        ours="{swings:.0f} steps without a fall; mean force {mean_force:.5f} m g",
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
            Criterion(number="in_two_seconds", low=4, high=4, reason="bumps on the axis"),
            Criterion(number="top", low=20, high=100, reason="on the axis, mm"),
            Criterion(
                number="scuff",
                low=0,
                trend=True,
                reason="lowest point of a swing, mm",
            ),
        ),
        ours="{in_two_seconds:.0f} bumps in 2 s, top {top:.1f} mm, never below {scuff:.2f} mm in "
        "the middle 85 % of each swing",
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
            Criterion(number="stance_height_99", high=0.2, reason="99 % on the axis, mm"),
            Criterion(number="stance_height", high=0.4, trend=True, reason="largest, mm"),
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
            Criterion(number="lifts_0", low=20, trend=True, reason="lift-offs of a standing foot"),
            Criterion(number="within_500", low=99, reason="% of forces on the axis"),
        ),
        ours="{lifts_0:.0f} lift-offs of vertices while their foot stands alone, {flights_0:.0f} "
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
        experiment=WALK,
        criteria=(
            Criterion(number="flights_ratio_1", high=0.9, trend=True, reason="of all flights"),
            Criterion(number="lifts_ratio_1", high=0.8, reason="clearly fewer to the eye"),
        ),
        ours="1 um: {lifts_ratio_1:.2f} of the lift-offs and {flights_ratio_1:.2f} of the flights "
        "of epsilon = 0; 100 um: {lifts_ratio_100:.2f}, {flights_ratio_100:.2f} (medians of "
        "{runs:.0f} walks in all)",
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
            Criterion(number="cut_share", high=50, trend=True, reason="% after forces were cut"),
            Criterion(number="fitted_ratio", low=0.8, trend=True, reason="same load, uncut forces"),
        ),
        ours="{cut_share:.0f} % of {paper_lifts:.0f} lift-offs follow forces that (19) or (20) cut "
        "({paper_pulls:.0f} pulls, {paper_slips:.0f} friction), {paper_bounces:.0f} an undamped "
        "rise; with forces fitted inside the cones, under the same motion, {fitted_lifts:.0f} "
        "lift-offs are left",
        remark="the law knows the load of the present step here: nothing is late",
    ),
)
