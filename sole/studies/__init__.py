"""Studies: axes, shared condensations, kinds of rows, workers, journal and table.

`sole.studies.choice` chooses a row of a table, `sole.studies.design` searches for the best one.
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.studies.axis import (
        Axis,
        AxisQuantity,
        Setting,
        parse_axis,
    )
    from sole.studies.checked_rows import MeshCheck, add_check, read_check
    from sole.studies.columns import Column, RowOutcome
    from sole.studies.command_line import (
        Request,
        describe_plan,
        resolve_request,
        run_command,
        show_progress,
    )
    from sole.studies.engine import check_study, run_study
    from sole.studies.netcdf import CASE
    from sole.studies.poisson_interpolation import NuGrid, weighted_sum
    from sole.studies.rows import (
        HERE,
        Case,
        Rows,
        SharedSole,
    )
    from sole.studies.sampling import Sampling
    from sole.studies.stiffness_rows import StiffnessRows
    from sole.studies.strain_columns import (
        FIELD_COLUMNS,
        field_metrics,
        weighted_percentile,
    )
    from sole.studies.study import (
        LayerMaterial,
        Study,
        load_study,
    )
    from sole.studies.study_progress import ROWS, Progress
    from sole.studies.summary import StudySummary
    from sole.studies.table import (
        axes_of,
        highlights,
        is_text,
        metric_names,
        open_table,
        read_table,
        unit_of,
    )
    from sole.studies.table_description import describe_table
    from sole.studies.workforce import Workforce, choose_workforce
else:
    # Later: at once, `sole info PRESS` would import 32 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "CASE",
    "FIELD_COLUMNS",
    "HERE",
    "ROWS",
    "Axis",
    "AxisQuantity",
    "Case",
    "Column",
    "LayerMaterial",
    "MeshCheck",
    "NuGrid",
    "Progress",
    "Request",
    "RowOutcome",
    "Rows",
    "Sampling",
    "Setting",
    "SharedSole",
    "StiffnessRows",
    "Study",
    "StudySummary",
    "Workforce",
    "add_check",
    "axes_of",
    "check_study",
    "choose_workforce",
    "describe_plan",
    "describe_table",
    "field_metrics",
    "highlights",
    "is_text",
    "load_study",
    "metric_names",
    "open_table",
    "parse_axis",
    "read_check",
    "read_table",
    "resolve_request",
    "run_command",
    "run_study",
    "show_progress",
    "unit_of",
    "weighted_percentile",
    "weighted_sum",
]
