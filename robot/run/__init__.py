"""A run: time series with units, its file, and the bodies and treads for pictures."""

from robot.run.channels import (
    CHANNELS,
    RUNNING_SUMS,
    SOLVED,
    Channel,
)
from robot.run.run import FINISHED, Run
from robot.run.run_file import (
    LABELS,
    load_run,
    save_anyhow,
    save_run,
)
from robot.run.skeleton import LinkShape, Skeleton
from robot.run.treads import TreadNodes, largest_deformation, tread_of

__all__ = [
    "CHANNELS",
    "FINISHED",
    "LABELS",
    "RUNNING_SUMS",
    "SOLVED",
    "Channel",
    "LinkShape",
    "Run",
    "Skeleton",
    "TreadNodes",
    "largest_deformation",
    "load_run",
    "save_anyhow",
    "save_run",
    "tread_of",
]
