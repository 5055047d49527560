"""Design studies: an optimiser searches the ranges of a study for its best sole."""

from sole.studies.design.design_study import (
    Design,
    SearchOptions,
    load_design,
)
from sole.studies.design.report import describe_best, describe_file
from sole.studies.design.search import best_of, run_design

__all__ = [
    "Design",
    "SearchOptions",
    "best_of",
    "describe_best",
    "describe_file",
    "load_design",
    "run_design",
]
