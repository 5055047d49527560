"""Shapes of soles by gradients: fields of heights, landings and standing without friction."""

from contact.shape_design.design_file import (
    ShapeDesign,
    ShapeSearch,
    StandLoad,
    StopLoad,
    load_shape_design,
)
from contact.shape_design.evaluation import ShapeProblem, ShapeWorth
from contact.shape_design.search import (
    ShapeResult,
    search_shape,
    write_trials,
)
from contact.shape_design.shape_field import HeightGrid, ShapeFields
from contact.shape_design.unit_cube import ShapeTrial

__all__ = [
    "HeightGrid",
    "ShapeDesign",
    "ShapeFields",
    "ShapeProblem",
    "ShapeResult",
    "ShapeSearch",
    "ShapeTrial",
    "ShapeWorth",
    "StandLoad",
    "StopLoad",
    "load_shape_design",
    "search_shape",
    "write_trials",
]
