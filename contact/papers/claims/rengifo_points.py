"""Claims of the penalty paper on its law: balls, bricks, boxes and the count of states."""

from __future__ import annotations

from contact.papers.claims.four_papers import RENGIFO
from sole.claims import Claim, Criterion, Experiment

__all__ = ["RENGIFO_POINT_CLAIMS"]

HOME = "contact.papers.experiments"
STATES = Experiment(at=f"{HOME}.foot_states:count_foot_states", quick=1, full=1)
BALL = Experiment(at=f"{HOME}.falling_ball:reproduce_ball", quick=3, full=4)
RESTITUTION = Experiment(at=f"{HOME}.measured_restitution:reproduce_restitution", quick=1, full=3)
BRICK = Experiment(at=f"{HOME}.sliding_brick:reproduce_brick", quick=1, full=1)
LAWS = Experiment(at=f"{HOME}.older_laws:reproduce_older_laws", quick=3, full=3)
BOX = Experiment(at=f"{HOME}.box_vertices:reproduce_box", quick=3, full=6)
HELD = Experiment(at=f"{HOME}.held_forces:reproduce_held_forces", quick=8, full=8)


RENGIFO_POINT_CLAIMS = (
    Claim(
        paper=RENGIFO,
        name="foot_states",
        order=10,
        place="I",
        says="a rectangular foot touches in ten ways and hits the ground in nine, so that a biped "
        "has 100 states and 81 events",
        printed="10 ways (4 vertices, 4 edges, a face, none), 9 impacts, 100 states, 81 events",
        experiment=STATES,
        given="it counts the subsets of four corners that a plane can touch; squares of 10 and 9",
        ours="{ways:.0f} ways ({vertices:.0f} vertices, {edges:.0f} edges, {faces:.0f} face, "
        "none), {impacts:.0f} impacts, {states:.0f} states, {events:.0f} events",
    ),
    Claim(
        paper=RENGIFO,
        name="friction_states",
        order=11,
        place="I, their [6]",
        says="a simulator that treats static and dynamic friction apart has 361 contact states",
        printed="361",
        experiment=STATES,
        given="arithmetic: (9 + 9 + 1) squared",
        ours="{stick_or_slide:.0f} kinds a foot (nine sticking, nine sliding, none), "
        "{friction_states:.0f} pairs",
    ),
    Claim(
        paper=RENGIFO,
        name="spring_damper",
        order=20,
        place="I, II.A (2)",
        says="a spring and damper pulls before every separation",
        experiment=LAWS,
        given="k p + c p' is negative where a body leaves the ground: p is 0 there, p' is not",
        ours="pulls by {spring_bounce:.1f} N in a bounce, {spring_torn:.1f} N when torn off",
        picture="older_laws",
    ),
    Claim(
        paper=RENGIFO,
        name="heaviside",
        order=21,
        place="I, their [2]",
        says="a Heaviside function, as in the simulator of Johnnie, prevents the pull",
        experiment=LAWS,
        given="the function is 0 wherever the force would pull: no pull is its definition",
        ours="no pull; but 4 kg bounce {spring_cut_mass:.0f} mm from where 1 kg does",
        picture="older_laws",
    ),
    Claim(
        paper=RENGIFO,
        name="hunt_crossley",
        order=22,
        place="I, their [7], [10]",
        says="Hunt and Crossley's law is continuous, but pulls when a force tears the bodies apart "
        "fast",
        experiment=LAWS,
        criteria=(
            Criterion(
                number="hunt_bounce", high=0.0, trend=True, reason="paper: no pull in a bounce"
            ),
            Criterion(
                number="hunt_torn",
                low=1.0,
                trend=True,
                reason="paper: pulls when torn off; ours: 1 N, a tenth of m g",
            ),
            Criterion(
                number="hunt_jump",
                high=0.1,
                trend=True,
                reason="paper: continuous; ours: a tenth of the peak",
            ),
        ),
        ours="pulls by {hunt_torn:.1f} N when torn off, by nothing in a bounce; force at "
        "touching {hunt_jump:.4f} of the peak (spring and damper {spring_jump:.2f})",
        picture="older_laws",
    ),
    Claim(
        paper=RENGIFO,
        name="sunk_weight",
        order=25,
        place="II.A",
        says="on a spring and damper a body at rest sinks in by m g / kp, under (4) by nothing",
        printed="m g / kp, 0",
        experiment=BALL,
        given="statics: at rest k p carries m g, and (4) asks for the acceleration -kp p, which is "
        "0 at p = 0 alone",
        ours="{sunk:.6f} m g / kp; {sunk_linearised:.0e} m after 5 s",
    ),
    Claim(
        paper=RENGIFO,
        name="fig2",
        order=30,
        place="II.A, figure 2",
        says="with kp = 0 and kv growing the force tends to that of a rigid impact without "
        "rebound: an impulse m u, then m g",
        printed="impulse m u at one instant, m g after it",
        experiment=BALL,
        given="with kp = 0 the law is p'' = -kv p': its solution gives m u (1 - exp(-kv t)), and "
        "m g after it",
        ours="within 1 ms: {blow_soft:.3f} m u for kv = 100 1/s, {blow_hard:.4f} m u for 100 000",
    ),
    Claim(
        paper=RENGIFO,
        name="fig4",
        order=31,
        place="II.A, figure 4",
        says="height of a falling ball for kp = 0, 1, 5 and kv = 5000: it stays in the ground for "
        "kp = 0, else it comes up, the sooner the larger kp",
        printed="axes of 0.4 to 2.4 s, heights in mm",
        experiment=BALL,
        criteria=(
            Criterion(
                number="end_0",
                high=-0.8,
                trend=True,
                reason="paper: it stays; ours: four fifths deep, mm at 2.5 s",
            ),
            Criterion(
                number="surface_1",
                low=0.5,
                high=2.4,
                trend=True,
                reason="paper: on the axis of the figure, s",
            ),
            Criterion(
                number="surface_5",
                low=0.5,
                high=2.0,
                trend=True,
                reason="paper: on the axis, before kp = 1, s",
            ),
        ),
        ours="depth {depth_0:.4f} mm; surfaces at {surface_1:.4f} s (kp = 1) and {surface_5:.4f} s "
        "(kp = 5); closed form and integration agree to {error:.0e} m",
        remark="mass and height are not printed; 1 kg from 1 m is our choice, 0.785 to 1.8 m fit",
    ),
    Claim(
        paper=RENGIFO,
        name="fig5",
        order=32,
        place="II.A, figure 5",
        says="the normal force for the same three pairs is m g for kp = 0 and a little more else",
        printed="axis of about 9.811 to 9.816 N",
        experiment=BALL,
        criteria=(
            Criterion(
                number="plateau_0", low=9.8099, high=9.8111, reason="paper: m g on the axis, N"
            ),
            Criterion(
                number="plateau_1",
                low=9.8101,
                high=9.8160,
                reason="paper: a little more, on the axis, N",
            ),
        ),
        ours="plateaux at {plateau_0:.4f}, {plateau_1:.4f}, {plateau_5:.4f} N",
    ),
    Claim(
        paper=RENGIFO,
        name="restitution",
        order=33,
        place="II.A",
        says="when kp/kv goes from 0 to infinity, restitution goes from 0 to 1",
        printed="a function of kp/kv",
        experiment=RESTITUTION,
        criteria=(
            Criterion(
                number="spread",
                high=0.01,
                trend=True,
                reason="paper: a function of kp/kv; ours: e at kp/kv = 1 to 0.01",
            ),
        ),
        ours="at kp/kv = 1, e is {soft:.3f}, {middle:.3f} or {hard:.3f} for kv = 0.001, 1, 1000; "
        "it is a function of kp/kv^2, from {least:.3f} to {largest:.3f} over six decades (error "
        "{error:.0e} in {impacts:.0f} impacts)",
    ),
    Claim(
        paper=RENGIFO,
        name="depth_kv",
        order=34,
        place="II.A",
        says="for kp = 0 the depth falls as kv grows; for kv = 0 it falls as kp grows",
        experiment=BALL,
        given="of the speed u of the impact and kv, or kp, only u/kv, or u/sqrt(kp), is a length",
        ours="a decade of kv leaves {depth_falls_with_kv:.3f} of the depth, one of kp "
        "{depth_falls_with_kp:.3f}",
    ),
    Claim(
        paper=RENGIFO,
        name="largest_force",
        order=35,
        place="II.A",
        says="the largest force depends on kv only",
        experiment=BALL,
        criteria=(
            Criterion(
                number="peak_spread",
                high=1.01,
                trend=True,
                reason="paper: kv only; ours: within 1 % at one kv",
            ),
        ),
        ours="with one kv: {peak_heavy:.2f} times for 4 times the mass, {peak_high:.2f} for 4 "
        "times the height, {peak_stiff:.2f} for kp beyond kv^2",
    ),
    Claim(
        paper=RENGIFO,
        name="any_mass",
        order=36,
        place="abstract, II.A, VI",
        says="the parameters of the contact do not depend on those of the system",
        experiment=LAWS,
        given="no mass stands in (4), which asks for an acceleration; in m p'' = -k p - c p' it "
        "does",
        ours="4 kg and 1 kg bounce within {linearised_mass:.0e} mm ({spring_mass:.0f} mm apart on "
        "a spring and damper)",
        picture="older_laws",
    ),
    Claim(
        paper=RENGIFO,
        name="fig6",
        order=40,
        place="II.B (5)-(8), figures 6, 7",
        says="a brick on a ramp slides by Coulomb's law, then its velocity tends to zero and "
        "friction to m g sin(alpha), without a velocity threshold given beforehand",
        experiment=BRICK,
        given="where friction is not cut, (8) gives p'' = -kv p': the velocity decays as "
        "exp(-kv t), and what is left of (8) is m g sin(alpha)",
        ours="rests at {rest:.2f} mm; friction ends at {held:.8f} m g sin(alpha); errors "
        "{way_error:.0e} m, {velocity_error:.0e} m/s",
    ),
    Claim(
        paper=RENGIFO,
        name="form_9",
        order=41,
        place="II.B (9)",
        says="(8) can be written as (9): saturated friction above the speed v_s in both directions",
        experiment=BRICK,
        criteria=(
            Criterion(
                number="forms_differ",
                high=1e-9,
                reason="paper: (8) is (9); ours: at -1.5 v_s, rounding",
            ),
        ),
        ours="up the ramp at 1.5 v_s: (8) gives {form_8:.2f} N, (9) {form_9:.2f} N; (9) holds for "
        "velocities above -v_s only",
    ),
    Claim(
        paper=RENGIFO,
        name="vertices",
        order=50,
        place="III (10)-(20)",
        says="several contacts at once are handled: the forces that give every contact its "
        "acceleration, cut to the cones",
        experiment=BOX,
        criteria=(
            Criterion(
                number="touching_end",
                low=1,
                trend=True,
                reason="paper: all contacts are handled: all four touch at the end",
            ),
            Criterion(
                number="force_end",
                low=1 - 1e-6,
                high=1 + 1e-6,
                trend=True,
                reason="ours: the weight is carried, of m g",
            ),
        ),
        ours="rank {rank:.0f} of 12; a tilted drop ends on four vertices with {force_end:.6f} m g; "
        "forces at rest within {rest_error:.0e} N of statics",
    ),
    Claim(
        paper=RENGIFO,
        name="released_load",
        order=70,
        place="V",
        says="when a load on a body at rest disappears, the contact breaks, and a short while "
        "after it an impact follows that is not physical",
        experiment=HELD,
        given="by construction it does not break: whatever the load is, (4) asks for no "
        "acceleration at rest, and forces that need no cut give that",
        ours="{lifts_known:.0f} losses of contact under a load that swings and is let go, if the "
        "law knows it: a body at rest does not separate",
        picture="late_forces",
        remark="released_load_late has a law that sees the load one step late: "
        "docs/results/penalty.md",
    ),
    Claim(
        paper=RENGIFO,
        name="released_load_late",
        order=70,
        place="V",
        says="the same if the law sees the load one step late, as a simulator with forces of the "
        "last step does",
        experiment=HELD,
        criteria=(
            Criterion(number="lifts_late", low=1, trend=True, reason="paper: the contact breaks"),
        ),
        ours="{lifts_late:.0f} losses of contact from rest; after a landing all four vertices "
        "touch {share_0:.2%} of the time; with epsilon = -{rule:.1f} um (our rule) {share_2:.2%}",
        picture="late_forces",
    ),
    Claim(
        paper=RENGIFO,
        name="epsilon_sign",
        order=71,
        place="V",
        says="contact is steadier with a steady penetration, printed as epsilon = +1e-6 m",
        printed="epsilon = 1e-6 m",
        experiment=BALL,
        criteria=(
            Criterion(
                number="lifts_meant",
                high=0,
                trend=True,
                reason="paper: steadier; ours: no lift-off from 0.5 s after landing on, with "
                "epsilon = -1e-6 m",
            ),
            Criterion(
                number="lifts_printed",
                high=0,
                reason="paper: epsilon = +1e-6 m; ours: no lift-off from 0.5 s after landing on",
            ),
        ),
        ours="a ball leaves the ground {lifts_printed:.0f} times in half a second with the printed "
        "sign, {lifts_meant:.0f} times with epsilon = -1e-6 m, which is meant",
    ),
)
