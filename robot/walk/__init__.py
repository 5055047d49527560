"""Walks from scenarios: assemble, run, record, refine in dt."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.walk.assembly import Soles, assemble_walk, material_of, pad_of, retime_scenario
    from robot.walk.corner_soles import prism_mesh
    from robot.walk.execution import Executed, RecordingOptions, complete, execute
    from robot.walk.interventions import PullPlan, PushPlan, SceneChange
    from robot.walk.known_names import ground_of, require_names
    from robot.walk.known_plans import KnownPlans
    from robot.walk.refinement import Refinement, refine
    from robot.walk.scenario import Scenario, load_scenario, replace_values
    from robot.walk.scenario_file import anchored, as_read, save_scenario
    from robot.walk.scenario_tables import (
        CascadeChoice,
        ContactChoice,
        ControlChoice,
        Sensing,
        SoleChoice,
    )
    from robot.walk.sole_family import NU_RANGE, SoleFamily
    from robot.walk.speed import WALL, Stopwatch
    from robot.walk.walk import Walk
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "NU_RANGE",
    "WALL",
    "CascadeChoice",
    "ContactChoice",
    "ControlChoice",
    "Executed",
    "KnownPlans",
    "PullPlan",
    "PushPlan",
    "RecordingOptions",
    "Refinement",
    "Scenario",
    "SceneChange",
    "Sensing",
    "SoleChoice",
    "SoleFamily",
    "Soles",
    "Stopwatch",
    "Walk",
    "anchored",
    "as_read",
    "assemble_walk",
    "complete",
    "execute",
    "ground_of",
    "load_scenario",
    "material_of",
    "pad_of",
    "prism_mesh",
    "refine",
    "replace_values",
    "require_names",
    "retime_scenario",
    "save_scenario",
]
