"""Claims of LOLA's force control paper that need a walking robot."""

from __future__ import annotations

from contact.papers.claims.four_papers import SYGULLA
from sole.claims import Claim, Criterion, Experiment

__all__ = ["SYGULLA_CONTROL_CLAIMS"]

HERE = "robot.papers.experiments.obstacle_and_drop"
BOARD = Experiment(at=f"{HERE}:reproduce_board", quick=32, full=900)
DROP = Experiment(at=f"{HERE}:reproduce_drop", quick=40, full=900)
NO_PHASES = Experiment(at=f"{HERE}:walk_without_phase_logic", quick=28, full=700)
MODELS = Experiment(at=f"{HERE}:compare_contact_models", quick=40, full=1100)
IDENTITY = Experiment(
    at="robot.papers.experiments.joint_space_springs:compare_spaces", quick=3, full=3
)
FEET = Experiment(
    at="robot.papers.experiments.feet_in_task_space:follow_wrenches_in_task_space", quick=6, full=6
)
FIGURES = (
    "{survived_before:.0f} of {walks:.0f} walks survive without, {survived_after:.0f} with it; in "
    "{pairs:.0f} pairs inclination {tilt_change:+.0f} % ({tilt_low:+.0f} to {tilt_high:+.0f}), T_x "
    "{torque_x_change:+.0f} % ({torque_x_low:+.0f} to {torque_x_high:+.0f}), T_y "
    "{torque_y_change:+.0f} % ({torque_y_low:+.0f} to {torque_y_high:+.0f})"
)
PAIRS = (
    "medians of paired changes and their 95 % bootstrap intervals; a quick run has two pairs, the "
    "full one 30. Phase logic and footstep adaptation, which the paper does not have or switches "
    "off, carry over the contact here without g_a too"
)

SYGULLA_CONTROL_CLAIMS = (
    Claim(
        paper=SYGULLA,
        name="configuration_model",
        order=30,
        place="IV.A (9)",
        says="the earlier model describes forces over joint angles; for it changing contact areas "
        "are hard to formalise",
        experiment=IDENTITY,
        criteria=(Criterion(number="apart", high=1e-9, reason="rates of wrenches, relative"),),
        ours="point springs over joint angles give the rates of wrenches that U of the same "
        "springs gives over the pose, to {apart:.0e}; U of the sole is {roll:.2f} (roll) and "
        "{pitch:.2f} (pitch) of U of four springs as stiff against F_z",
        remark="so both models differ only in how U is found; which points touch is a switch in "
        "both",
    ),
    Claim(
        paper=SYGULLA,
        name="task_space_control",
        order=35,
        place="IV.B (10)-(13)",
        says="height and inclination of each foot follow the wanted wrench by an inner position "
        "loop in task space",
        experiment=FEET,
        criteria=(
            Criterion(number="fell", high=0, trend=True),
            Criterion(number="force_error", high=5, trend=True, reason="% of m g, RMS of a foot"),
            Criterion(number="roll_error", high=5, trend=True, reason="% of m g half a width"),
            Criterion(number="pitch_error", high=5, trend=True, reason="% of m g half a length"),
        ),
        ours="in five steps on flat ground F_z of a foot is off by {force_error:.1f} % of the "
        "weight (RMS), T_x by {roll_torque:.1f} N m of {asked_roll:.1f} asked for, T_y by "
        "{pitch_torque:.1f} of {asked_pitch:.1f}",
        remark="true state, pads of 2 MPa; the bounds of 5 % are ours",
    ),
    Claim(
        paper=SYGULLA,
        name="blending",
        order=42,
        place="IV.B (16)-(17)",
        says="the controller of the swing leg is blended out, and its foot pulled back to the plan",
        experiment=FEET,
        criteria=(
            Criterion(number="swings", low=5, trend=True, reason="motions of swing feet"),
            Criterion(number="decay_error", high=1e-6, trend=True, reason="of (17), relative"),
            Criterion(number="left", high=5, trend=True, reason="% at the end of a swing"),
        ),
        ours="{swings:.0f} motions of feet at lift-off decay as exp(-K_x t) to {decay_error:.0e}; "
        "{left:.2f} % is left at most when the swing ends",
        remark="K_x = 10 1/s and b = 50 ms are ours",
    ),
    Claim(
        paper=SYGULLA,
        name="com_dynamics",
        order=50,
        place="IV.C (18)-(21)",
        says="accelerating the centre of mass realises ground forces in single support",
        experiment=NO_PHASES,
        criteria=(
            Criterion(number="more_survive", low=1, trend=True, reason="walks, of those without"),
            Criterion(number="survived_share", low=90, reason="% of the walks with it"),
        ),
        ours="down 1 cm without phase logic {survived_before:.0f} of {walks:.0f} walks survive "
        "without, {survived_after:.0f} with g_a = 0.5, inclined by {largest_tilt:.1f} deg at most",
        remark="as in the paper's experiment: a fixed plan, torques from the inclination, kappa = "
        "1. (19) is said to act at early contacts too, but s_a = 0 as soon as both feet touch",
    ),
    Claim(
        paper=SYGULLA,
        name="phase_reset",
        order=55,
        place="V.A",
        says="an early contact stops the further motion of the foot into the obstacle",
        experiment=BOARD,
        criteria=(Criterion(number="moved", high=30, reason="mm; its swing goes on for 350"),),
        ours="a foot that meets the board of 9 cm early moves by {moved:.0f} mm at most in 0.2 s",
    ),
    Claim(
        paper=SYGULLA,
        name="obstacle_4_cm",
        order=60,
        place="V.A",
        says="an unseen obstacle of 4 cm, steps of 0.4 m, 0.8 s: the explicit model tracks torques "
        "better than the earlier one; the inclination stays the same",
        printed="-3 % (T_x), -9 % (T_y)",
        experiment=MODELS,
        criteria=(
            Criterion(number="obstacle_torque_x_change", low=-10, high=10, trend=True, reason="%"),
            Criterion(number="obstacle_torque_y_change", low=-10, high=10, trend=True, reason="%"),
            Criterion(number="obstacle_torque_x_high", high=0, reason="%, end of the interval"),
            Criterion(number="obstacle_torque_y_high", high=0, reason="%, end of the interval"),
            Criterion(number="obstacle_tilt_change", low=-20, high=20, trend=True, reason="%"),
        ),
        ours="{obstacle_survived_before:.0f} and {obstacle_survived_after:.0f} of "
        "{obstacle_walks:.0f} walks survive; with U of the sole T_x {obstacle_torque_x_change:+.0f}"
        " % ({obstacle_torque_x_low:+.0f} to {obstacle_torque_x_high:+.0f}), T_y "
        "{obstacle_torque_y_change:+.0f} % ({obstacle_torque_y_low:+.0f} to "
        "{obstacle_torque_y_high:+.0f}), inclination {obstacle_tilt_change:+.0f} %",
        remark="steps of 0.35 m. The paper calls both models physically equivalent, yet one 3 to 9 "
        "% better: two walks of one law differ by more. Quick runs have one pair, "
        "which shows no sign; full ones have 30",
    ),
    Claim(
        paper=SYGULLA,
        name="fig6",
        order=61,
        place="V.A, figure 6",
        says="an unseen board of 9 cm at 1.5 km/h: with the centre of mass in the controller "
        "inclinations and torque errors are smaller",
        printed="-21 % (T_x), -31 % (T_y)",
        experiment=BOARD,
        criteria=(
            Criterion(number="torque_x_high", high=0, trend=True, reason="%, end of the interval"),
            Criterion(number="torque_y_high", high=0, trend=True, reason="%, end of the interval"),
            Criterion(number="torque_x_change", low=-36, high=-6, reason="-21 +- 15 %"),
            Criterion(number="torque_y_change", low=-46, high=-16, reason="-31 +- 15 %"),
        ),
        ours=FIGURES,
        remark=PAIRS,
    ),
    Claim(
        paper=SYGULLA,
        name="same_on_flat_ground",
        order=62,
        place="V.B",
        says="on flat ground the explicit model behaves as the earlier one",
        experiment=MODELS,
        criteria=(
            Criterion(number="flat_largest_tilt", high=0.2, trend=True, reason="deg"),
            Criterion(number="flat_tilt_change", low=-10, high=10, reason="%"),
        ),
        ours="on flat ground inclination {flat_tilt_change:+.1f} %, T_x "
        "{flat_torque_x_change:+.1f} %, T_y {flat_torque_y_change:+.1f} %; inclined by "
        "{flat_largest_tilt:.2f} deg at most",
    ),
    Claim(
        paper=SYGULLA,
        name="reduced_gains",
        order=63,
        place="V.B",
        says="structural vibrations in the inertial sensor force smaller gains on the real robot",
        printed="delta 0.02 to 0.027 s, g_a 1 to 0.8",
        undecided="it is a statement on LOLA's structure; the text gives neither its frequencies "
        "nor the sensor's place",
    ),
    Claim(
        paper=SYGULLA,
        name="fig7",
        order=64,
        place="V.B, figures 7, 8",
        says="an unseen step down of 5.5 cm at 1.5 km/h: with the centre of mass in the controller "
        "the largest inclination is smaller and declines faster",
        printed="-63 %",
        experiment=DROP,
        criteria=(
            Criterion(number="tilt_high", high=0, trend=True, reason="%, end of the interval"),
            Criterion(number="mean_tilt_change", high=0, trend=True, reason="%, RMS after it"),
            Criterion(number="tilt_change", low=-93, high=-33, reason="-63 +- 30 %"),
        ),
        ours=FIGURES,
        remark=PAIRS,
    ),
)
