"""Shapes of soles: outline, thickness profile, layers and tread, from TOML, a preset or a URDF."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.shape.outline import Outline
    from sole.shape.parts import (
        Chamfer,
        End,
        Layer,
        Pad,
        Polygon,
        Rectangle,
    )
    from sole.shape.presets import preset
    from sole.shape.shape import (
        Shape,
        box,
        load_shape,
        refuse_size,
        with_thickness,
    )
    from sole.shape.urdf_file import model_of, read_urdf
    from sole.shape.urdf_foot import foot_of_tree, foot_of_urdf
    from sole.shape.urdf_numbers import place_of
    from sole.shape.urdf_packages import (
        find_package_file,
        find_packages,
        plain_folders,
        relative_to,
    )
else:
    # Later: at once, `sole info MESH` would import 16 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "Chamfer",
    "End",
    "Layer",
    "Outline",
    "Pad",
    "Polygon",
    "Rectangle",
    "Shape",
    "box",
    "find_package_file",
    "find_packages",
    "foot_of_tree",
    "foot_of_urdf",
    "load_shape",
    "model_of",
    "place_of",
    "plain_folders",
    "preset",
    "read_urdf",
    "refuse_size",
    "relative_to",
    "with_thickness",
]
