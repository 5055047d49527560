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


def _exactly(number: str, value: float) -> Criterion:
    return Criterion(number=number, low=value, high=value, reason="printed")


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
        criteria=(
            _exactly("ways", 10),
            _exactly("impacts", 9),
            _exactly("states", 100),
            _exactly("events", 81),
        ),
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
        criteria=(_exactly("friction_states", 361),),
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
        criteria=(Criterion(number="spring_bounce", low=1.0, trend=True, reason="N of pull"),),
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
        criteria=(
            Criterion(number="spring_cut_bounce", high=0.0, trend=True),
            Criterion(number="spring_cut_torn", high=0.0, trend=True),
        ),
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
            Criterion(number="hunt_bounce", high=0.0, trend=True, reason="no pull in a bounce"),
            Criterion(number="hunt_torn", low=1.0, trend=True, reason="N of pull, torn off"),
            Criterion(
                number="hunt_jump", high=0.1, trend=True, reason="force at touching over the peak"
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
        criteria=(
            Criterion(number="sunk", low=1 - 1e-6, high=1 + 1e-6),
            Criterion(number="sunk_linearised", high=1e-6, reason="1 um after 5 s"),
        ),
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
        criteria=(
            Criterion(number="blow_hard", low=0.999, high=1.001, reason="within 1 ms"),
            Criterion(number="blow_soft", high=0.5, trend=True, reason="soft is not yet there"),
            Criterion(number="rest_hard", high=1e-6, trend=True, reason="of m g, 1 ms later"),
        ),
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
            Criterion(number="end_0", high=-0.8, trend=True, reason="mm at 2.5 s"),
            Criterion(number="surface_1", low=0.5, high=2.4, trend=True, reason="on the axis, s"),
            Criterion(number="surface_5", low=0.5, high=2.0, trend=True, reason="before kp = 1"),
            Criterion(number="error", high=1e-9, trend=True, reason="closed form, m"),
        ),
        ours="depth {depth_0:.4f} mm; surfaces at {surface_1:.4f} s (kp = 1) and {surface_5:.4f} s "
        "(kp = 5)",
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
            Criterion(number="plateau_0", low=9.8099, high=9.8111, reason="m g"),
            Criterion(number="plateau_1", low=9.8101, high=9.8160, reason="on the axis"),
            Criterion(number="plateau_5", low=9.8120, high=9.8160, reason="on the axis"),
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
        criteria=(Criterion(number="spread", high=0.01, trend=True, reason="of e at kp/kv = 1"),),
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
        criteria=(
            Criterion(number="depth_falls_with_kv", high=0.999, trend=True, reason="a decade"),
            Criterion(number="depth_falls_with_kp", high=0.999, trend=True, reason="a decade"),
        ),
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
        criteria=(Criterion(number="peak_spread", high=1.01, trend=True, reason="same kv"),),
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
        criteria=(
            Criterion(number="linearised_mass", high=1e-6, trend=True, reason="mm, 4 kg and 1 kg"),
            Criterion(number="spring_mass", low=1.0, trend=True, reason="mm, older laws differ"),
        ),
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
        criteria=(
            Criterion(number="way_error", high=1e-9, trend=True, reason="closed form, m"),
            Criterion(number="held", low=1 - 1e-6, high=1 + 1e-6, reason="m g sin(alpha)"),
            Criterion(number="speed_end", high=1e-6, trend=True, reason="m/s"),
            Criterion(number="event_error", high=1e-9, reason="v_s = g (mu cos - sin)/kv"),
        ),
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
        criteria=(Criterion(number="forms_differ", high=1e-9, reason="(8) and (9) at -1.5 v_s"),),
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
            Criterion(number="rank", low=6, high=6, reason="rigid body: 6 of 12"),
            Criterion(number="rest_error", high=1e-9, trend=True, reason="static forces"),
            Criterion(number="touching_end", low=1, trend=True, reason="all four touch"),
            Criterion(number="force_end", low=1 - 1e-6, high=1 + 1e-6, reason="m g"),
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
        criteria=(Criterion(number="lifts_0", low=1, trend=True, reason="forces one step late"),),
        ours="{lifts_0:.0f} losses of contact under a swinging load, if the law sees it one step "
        "late; all four vertices touch {share_0:.2%} of the time; with epsilon = -{rule:.1f} um "
        "(our rule) {share_2:.2%}",
        picture="late_forces",
        remark="if the law knows the load of the present step, a body at rest does not separate: "
        "docs/penalty.md",
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
            Criterion(number="lifts_printed", high=0, trend=True, reason="0.5 s after landing"),
        ),
        ours="a ball leaves the ground {lifts_printed:.0f} times in half a second with the printed "
        "sign, {lifts_meant:.0f} times with epsilon = -1e-6 m, which is meant",
    ),
)
