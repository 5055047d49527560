"""Claims of LOLA's force control paper that need a walking robot."""

from __future__ import annotations

from contact.papers.claims.four_papers import SYGULLA
from sole.claims import Claim

__all__ = ["SYGULLA_CONTROL_CLAIMS"]

CONTROLLER = 'an experiment with [control] kind = "force"'
DYNAMICS = f"{CONTROLLER}, with and without g_a"

SYGULLA_CONTROL_CLAIMS = (
    Claim(
        paper=SYGULLA,
        name="configuration_model",
        order=30,
        place="IV.A (9)",
        says="the earlier model describes forces over joint angles; for it changing contact areas "
        "are hard to formalise",
        missing="the contact model of their [23] in configuration space",
    ),
    Claim(
        paper=SYGULLA,
        name="task_space_control",
        order=35,
        place="IV.B (10)-(13)",
        says="height and inclination of each foot follow the wanted wrench by an inner position "
        "loop in task space",
        missing=CONTROLLER,
    ),
    Claim(
        paper=SYGULLA,
        name="blending",
        order=42,
        place="IV.B (16)-(17)",
        says="the controller of the swing leg is blended out, and its foot pulled back to the plan",
        missing=CONTROLLER,
    ),
    Claim(
        paper=SYGULLA,
        name="com_dynamics",
        order=50,
        place="IV.C (18)-(21)",
        says="accelerating the centre of mass realises ground forces in single support",
        missing=DYNAMICS,
    ),
    Claim(
        paper=SYGULLA,
        name="phase_reset",
        order=55,
        place="V.A",
        says="an early contact stops the further motion of the foot into the obstacle",
        missing="an experiment with an online plan",
    ),
    Claim(
        paper=SYGULLA,
        name="obstacle_4_cm",
        order=60,
        place="V.A",
        says="an unseen obstacle of 4 cm, steps of 0.4 m, 0.8 s: the explicit model tracks torques "
        "better than the earlier one; the inclination stays the same",
        printed="-3 % (T_x), -9 % (T_y)",
        missing=CONTROLLER,
    ),
    Claim(
        paper=SYGULLA,
        name="fig6",
        order=61,
        place="V.A, figure 6",
        says="an unseen board of 9 cm at 1.5 km/h: with the centre of mass in the controller "
        "inclinations and torque errors are smaller",
        printed="-21 % (T_x), -31 % (T_y)",
        missing=DYNAMICS,
    ),
    Claim(
        paper=SYGULLA,
        name="same_on_flat_ground",
        order=62,
        place="V.B",
        says="on flat ground the explicit model behaves as the earlier one",
        missing=CONTROLLER,
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
        missing=DYNAMICS,
    ),
)
