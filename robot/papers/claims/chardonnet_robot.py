"""Claims of the deformable soles' paper that need a robot or a user."""

from __future__ import annotations

from contact.papers.claims.four_papers import CHARDONNET
from sole.claims import Claim, Criterion, Experiment

__all__ = ["CHARDONNET_ROBOT_CLAIMS"]

HOME = "robot.papers.experiments.soles_of_figure5"
WALKS = Experiment(at=f"{HOME}:reproduce_figure5", quick=120, full=7200)
PLAIN = Experiment(at=f"{HOME}:walk_with_plain_pd", quick=8, full=8)
INTERACTIONS = "robot.papers.experiments.touch_and_drag"
TOUCH = Experiment(at=f"{INTERACTIONS}:touch_block", quick=3, full=5)
DRAG = Experiment(at=f"{INTERACTIONS}:drag_waist", quick=10, full=10)
CARRY = Experiment(at=f"{INTERACTIONS}:carry_together", quick=8, full=8)
COSTS = Experiment(
    at="robot.papers.experiments.cost_of_contacts:reproduce_complexity", quick=1, full=30
)
CONTROL = Experiment(
    at="robot.papers.experiments.soles_in_control:reproduce_control", quick=15, full=60
)
BODIES = Experiment(at="contact.papers.experiments.six_numbers:reproduce_per_body", quick=2, full=5)
REACH = Experiment(at="robot.papers.experiments.hands_and_feet:pull_on_arm_rests", quick=6, full=6)
ENOUGH = (4, 24)  # moduli, and distinct walks: two ratios nu, four moduli, three repeats


def figure5_criteria(setting: str) -> tuple[Criterion, ...]:
    """Return the criteria on figure 5 in a setting, such as "plate"."""
    rises = "paper: peaks are smaller on softer soles; 95 % of the interval is above 0"
    return (
        *(
            Criterion(number=f"{setting}_{impact}_low", low=0.01, trend=True, reason=rises)
            for impact in ("peak", "waist", "force")
        ),
        Criterion(
            number=f"{setting}_tilt_high",
            high=-0.01,
            trend=True,
            reason="paper: the inclination is larger on softer soles; 95 % is below 0",
        ),
    )


def figure5_least(setting: str) -> tuple[tuple[str, float], ...]:
    """Return the samples that a verdict on figure 5 needs, which only the full run has."""
    return ((f"{setting}_moduli", ENOUGH[0]), (f"{setting}_walks", ENOUGH[1]))


def figure5_ours(setting: str) -> str:
    """Return our figures of figure 5 in a setting."""
    told = [
        f"{name} {{{setting}_{key}:+.2f}} ({{{setting}_{key}_low:+.2f}} to "
        f"{{{setting}_{key}_high:+.2f}})"
        for key, name in (
            ("peak", "landing acceleration"),
            ("waist", "waist acceleration"),
            ("force", "impact force"),
            ("tilt", "inclination"),
        )
    ]
    return (
        f"{{{setting}_walks:.0f}} distinct walks on {{{setting}_soles:.0f}} soles; rank "
        f"correlation with E, median over nu: {', '.join(told)}"
    )


LINEAR = "soles strained by more than 10 % are left out: linear elasticity ends there"

CHARDONNET_ROBOT_CLAIMS = (
    Claim(
        paper=CHARDONNET,
        name="complexity",
        order=14,
        place="2",
        says="contact forces cost O(n m + m^2) for n bodies and m contacts",
        experiment=COSTS,
        criteria=(
            Criterion(
                number="over_n",
                high=1.1,
                trend=True,
                reason="paper: exponent of n at most 1; ours: a tenth for the noise of times",
            ),
            Criterion(
                number="over_m",
                high=2.1,
                trend=True,
                reason="paper: exponent of m at most 2; ours: a tenth for the noise of times",
            ),
        ),
        ours="with up to {most_n:.0f} bodies and {most_m:.0f} contacts the time of W and a sweep "
        "grows as n^{over_n:.2f} (+-{over_n_error:.2f}) and m^{over_m:.2f} (+-{over_m_error:.2f}); "
        "{a:.0f} + {b:.2g} n m + {c:.2g} m^2 us fits with R^2 = {fit:.3f}",
        remark="exponents by least squares over the three largest sizes, and their standard "
        "errors: a jump that is gone at the largest size does not count as growth. A sole needs "
        "the six columns of its foot instead of W of all points, so that the term n m is gone: "
        "docs/results/contact_cost.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig1",
        order=15,
        place="1, figure 1",
        says="the simulator handles several contacts of hands and feet at once",
        experiment=REACH,
        criteria=(
            Criterion(
                number="bodies", low=4, reason="paper: hands and feet, here all four at once"
            ),
            Criterion(number="palms", low=10, reason="ours: N on both, more than a brush"),
            Criterion(
                number="balance", high=0.01, reason="ours: of weight and pull, while held still"
            ),
            Criterion(number="fell", high=0, reason="ours: contacts that hold the robot"),
        ),
        ours="a robot pulled by messages presses {bodies:.0f} bodies on ground and arm rests at "
        "once, its palms with up to {palms:.0f} N; contact solved to {residual:.0e}",
        remark="scripted messages of a page; our robot of HRP-2's published size",
    ),
    Claim(
        paper=CHARDONNET,
        name="touching",
        order=20,
        place="3",
        says="a user touches objects: the force that the haptic device gives acts on them",
        experiment=TOUCH,
        criteria=(
            Criterion(
                number="one_error",
                high=1e-6,
                reason="ours: of the way that the whole block gives under the device's force",
            ),
            Criterion(number="two_error", high=1e-6, reason="ours: the same with two points"),
            Criterion(
                number="squeeze_force", high=-0.1, reason="ours: N, held points push back, felt"
            ),
            Criterion(number="stretch_force", low=0.1, reason="ours: N, and pull back, felt"),
        ),
        ours="1 mm into a block of 0.1 MPa: {one_force:.2f} N with one point, {two_force:.2f} N at "
        "each of two; held points feel {stretch_force:.2f} N when stretched by 2 mm",
        remark="simulated device behind a virtual coupling of 2000 N/m; the whole block is solved "
        "by scikit-fem and SciPy alone, linear tetrahedra",
    ),
    Claim(
        paper=CHARDONNET,
        name="dragging",
        order=21,
        place="3",
        says="a user drags objects by a spring and damper, and feels the force",
        experiment=DRAG,
        criteria=(
            Criterion(
                number="stiffer",
                low=1.01,
                reason="paper: by a spring; a stiffer one moves it farther",
            ),
            Criterion(
                number="waist_unfelt",
                high=0.05,
                reason="ours: of the impulse; what the user feels, the ground holds meanwhile",
            ),
            Criterion(number="hand_unfelt", high=0.05, reason="ours: the same at a palm"),
            Criterion(
                number="waist_fell", high=0, reason="ours: a robot that falls is not dragged"
            ),
            Criterion(number="hand_fell", high=0, reason="ours: a robot that falls is not dragged"),
        ),
        ours="dragged aside with up to {waist_force:.0f} N, the waist of the standing robot moves "
        "by {waist_moved:.3f} m and, let go, comes back to {waist_left:.4f} m; a palm is pulled by "
        "{hand_force:.0f} N; a spring twice as stiff moves the waist {stiffer:.1f} times as far; "
        "felt and held impulses differ by {waist_unfelt:.3f} and {hand_unfelt:.3f}",
        remark="springs of 5000 and 2000 N/m; on both feet 84 N move the waist by 8 mm, so for "
        "5 cm the robot rocks onto one foot; scripted hands; `sole live walk` for real ones",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig2",
        order=22,
        place="3, figure 2",
        says="a user and HRP-2 carry an object together",
        experiment=CARRY,
        criteria=(
            Criterion(
                number="share", low=0.9, high=1.1, reason="ours: of half the weight, carried by two"
            ),
            Criterion(number="soft_tilt", high=1, reason="ours: deg, it sways, it does not topple"),
            Criterion(
                number="tilt_ratio", low=1, reason="ours: soft soles give way more than hard"
            ),
        ),
        ours="a table of 6 kg, lifted by 10 cm at the other end: the palms carry "
        "{hard_hands:.1f} N; the waist's inclination varies by {soft_tilt:.3f} deg on 0.3 MPa, by "
        "{hard_tilt:.3f} deg on 10 MPa",
        remark="scripted hand; their numbers are not printed",
    ),
    Claim(
        paper=CHARDONNET,
        name="bushes",
        order=25,
        place="1",
        says="passive systems inside the foot, such as HRP-2's rubber bushes, absorb shocks too",
        undecided="the paper names them and gives no numbers; bushes are `[bush]` of a scenario "
        "(docs/walking.md)",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig4",
        order=40,
        place="5, figure 4",
        says="HRP-2 walks a given pattern with plain PD on compliant pads under its feet",
        experiment=PLAIN,
        criteria=(
            Criterion(number="firm_fell", high=0, trend=True, reason="paper: it walks"),
            Criterion(
                number="firm_way",
                low=1.0,
                trend=True,
                reason="ours: m, six steps of 0.2 m less one",
            ),
            Criterion(
                number="firm_residual",
                high=1e-5,
                trend=True,
                reason="ours: contact solved in every step, ten times the tolerance",
            ),
        ),
        ours="on pads of 10 MPa it walks {firm_way:.2f} m, contact solved to {firm_residual:.0e}",
        remark="our robot of HRP-2's published size, six steps of 0.2 m; theirs is not printed",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig5_flat",
        order=50,
        place="5, figure 5",
        says="the softer the sole, the smaller the acceleration peaks and the larger the "
        "inclination of the waist (plain PD on flat ground, as they walk)",
        printed="two pictures; the text prints no number, nor the ranges of E and nu",
        experiment=WALKS,
        criteria=figure5_criteria("pd_flat"),
        least=figure5_least("pd_flat"),
        ours=figure5_ours("pd_flat"),
        picture="fig5",
        remark=f"below 10 MPa our robot falls under plain PD; {LINEAR}; docs/results/figure5.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig5_flat_stabiliser",
        order=51,
        place="5, figure 5",
        says="the same with our stabiliser, which does not fall on flat ground",
        experiment=WALKS,
        criteria=figure5_criteria("flat"),
        least=figure5_least("flat"),
        ours=figure5_ours("flat"),
        picture="fig5",
        remark="each impact is softer on a softer sole, but the robot meets flat ground faster on "
        f"it; {LINEAR}; docs/results/figure5.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig5_plate",
        order=52,
        place="5, figure 5",
        says="the same where the impact is given from outside (stabiliser, a plate of 5 mm that "
        "the plan does not know)",
        experiment=WALKS,
        criteria=figure5_criteria("plate"),
        least=figure5_least("plate"),
        ours=figure5_ours("plate"),
        picture="fig5",
        remark="accelerations rise up to 10 MPa and stay level above, the force rises throughout; "
        f"{LINEAR}, here below 3.16 MPa. --quick: nu = 0.4 only, too few walks for a verdict; "
        "docs/results/figure5.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="too_soft",
        order=53,
        place="5",
        says="on too soft a sole the robot may lose balance and fall",
        experiment=PLAIN,
        criteria=(
            Criterion(number="soft_fell", low=1, trend=True, reason="paper: it falls, on 0.1 MPa"),
            Criterion(
                number="firm_fell",
                high=0,
                trend=True,
                reason="ours: softness is to blame only if it walks on 10 MPa",
            ),
        ),
        ours="with plain PD it falls on 0.1 MPa ({soft_fell:.0f}) and not on 10 MPa "
        "({firm_fell:.0f})",
    ),
    Claim(
        paper=CHARDONNET,
        name="best_material",
        order=54,
        place="5",
        says="E and nu are chosen that balance peaks and inclination",
        undecided="the text prints neither the values nor how the two are weighed; `sole report` "
        "weighs them (docs/choice.md)",
    ),
    Claim(
        paper=CHARDONNET,
        name="several_materials",
        order=59,
        place="6",
        says="a sole of more than one material shall absorb shocks best and keep least deformation",
        undecided="it is an outlook without a measure; two-layer soles and a search for the best "
        "are in docs/results/layers.md",
    ),
    Claim(
        paper=CHARDONNET,
        name="sole_in_control",
        order=60,
        place="6",
        says="a control law shall use the dynamic equations with the soles",
        experiment=CONTROL,
        given="they announce such a law and print none, so nothing of theirs can be tested",
        ours="with the condensed soles in the dynamics the waist turns at most at {yaw_rate:.3f} "
        "rad/s ({plain_rate:.3f} with the stabiliser, {rigid_rate:.3f} with rigid feet in the same "
        "law on 0.3 MPa) and inclines by {tilt:.2f} deg ({plain_tilt:.2f})",
        remark="they announce it and print no law; ours is docs/sole_aware.md, on true readings "
        "(noisy ones: there). --quick: three steps on 0.3 MPa; full: six on 0.1 to 1 "
        "MPa",
    ),
    Claim(
        paper=CHARDONNET,
        name="forces_per_body",
        order=61,
        place="6",
        says="computing forces per body instead of per point shall reduce the cost",
        experiment=BODIES,
        criteria=(
            Criterion(
                number="usable",
                low=1,
                trend=True,
                reason="ours: six numbers need a foot that slips",
            ),
            Criterion(number="error", high=5, trend=True, reason="ours: % off the nodal wrench"),
            Criterion(
                number="fine_ratio",
                low=1,
                trend=True,
                reason="paper: the cost is less than by nodes",
            ),
        ),
        ours="a slipping foot in six numbers is within {error:.2f} % of the wrench of all nodes; "
        "the nodes take {coarse_ratio:.1f} times as long for {coarse_nodes:.0f} of them, "
        "{fine_ratio:.1f} times for {fine_nodes:.0f}",
        remark="for feet that slip as a whole; where nodes stick while others slip, all nodes are "
        "needed. The simulator does not use it: docs/results/contact_cost.md",
    ),
)
