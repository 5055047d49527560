"""A ground in words for captions."""

from __future__ import annotations

from dataclasses import asdict

from contact.ground import CompositeGround, Ground, HeightField
from sole.base.angles import angles_of, degrees_of
from sole.pictures import millimetres


def describe_ground(ground: Ground) -> str:
    """Return a ground in words, lengths in mm: "step (rise 5 mm, x 0 mm, angle 0 deg)"."""
    if isinstance(ground, HeightField | CompositeGround):
        return str(ground)
    values = []
    for name, value in asdict(ground).items():
        if name in angles_of(type(ground)):
            text = f"{degrees_of(value):g} deg"
        else:
            text = str(value) if isinstance(value, int) else millimetres(value)
        values.append(f"{name} {text}")
    return f"{ground.kind} ({', '.join(values)})" if values else ground.kind
