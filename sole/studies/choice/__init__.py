"""The choice of a sole from a study: feasible rows, front, knee, sensitivities, materials."""

from sole.studies.choice.answers import as_json, constraint_hint, describe_choice
from sole.studies.choice.cases import (
    Cases,
    collect_cases,
    keep_rows,
)
from sole.studies.choice.feasibility import Constraint, parse_constraint
from sole.studies.choice.html_report import report_page
from sole.studies.choice.materials import (
    nearest_materials,
    shore_young,
    sole_materials,
)
from sole.studies.choice.mesh_check import check_table
from sole.studies.choice.recommended_row import Choice, choose
from sole.studies.choice.repeats import average_over

__all__ = [
    "Cases",
    "Choice",
    "Constraint",
    "as_json",
    "average_over",
    "check_table",
    "choose",
    "collect_cases",
    "constraint_hint",
    "describe_choice",
    "keep_rows",
    "nearest_materials",
    "parse_constraint",
    "report_page",
    "shore_young",
    "sole_materials",
]
