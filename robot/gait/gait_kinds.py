"""All kinds of gaits, and the change from one to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from robot.gait.gait import Gait
from robot.gait.standing_gaits import Balancing, PostureMotion, Squatting, Standing
from robot.gait.walking import Walking
from sole.base.config import of_kind

AnyGait = Walking | Standing | Squatting | Balancing | PostureMotion
GAITS: tuple[type[AnyGait], ...] = get_args(AnyGait)


def class_of(gait: Gait, keys: Mapping[str, Any]) -> type[AnyGait]:
    """Return the class of a gait with new values, which may have another `kind`.

    Raises
    ------
    ConfigError
        A key that only other kinds have; the message names it and the kinds.
    """
    return of_kind(GAITS, keys.get("kind", gait.kind), keys, "gait")


def change_gait(gait: Gait, values: Mapping[str, Any]) -> AnyGait:
    """Return a gait with new values; one of another `kind` keeps what both kinds have.

    Raises
    ------
    ConfigError
        A value that only other kinds have, or one out of range.
    """
    cls = class_of(gait, values)
    known = {f.name for f in fields(cls)} - {"kind"}
    kept = {f.name: getattr(gait, f.name) for f in fields(gait) if f.name in known}
    return cls(**kept | dict(values))
