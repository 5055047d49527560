"""The sole under a robot's foot: the outline of a URDF link seen from below."""

from __future__ import annotations

import os
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.quiet import captured
from sole.shape.parts import Polygon
from sole.shape.shape import Shape, refuse_size
from sole.shape.urdf_file import model_of, read_urdf
from sole.shape.urdf_packages import find_packages, plain_folders

BAND = 0.5  # share of the geometry's height, from below, that counts for the outline
BALL = 0.02  # [m] radius up to which a ball under a foot stands for a corner of its tread
CUBE = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], dtype=float)
_SIMPLIFY = 1e-3  # [m] largest distance of the simplified outline from the convex hull


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkSole:
    """A shape read from a robot, and its place on the link.

    Parameters
    ----------
    shape : the outline under the link, as a sole.
    link : name of the link.
    link_to_sole : (4, 4) homogeneous transform that takes coordinates in the sole frame to
        the link frame [m]; its last column is the sole's origin seen from the link.
    """

    shape: Shape
    link: str
    link_to_sole: FloatArray


def foot_of_urdf(
    path: Path,
    link: str,
    thickness: float = 0.02,
    packages: Sequence[str | Path] = (),
    arguments: Sequence[str] = (),
) -> LinkSole:
    """Read the sole of one foot from its collision (else visual) geometry.

    All geometry fixed to the same joint as `link` counts. Its vertices in the lower half
    of its height are projected on the plane of the lowest one, which becomes the bond plane
    z = 0: the sole is glued under the foot of the URDF. The outline is their convex hull,
    simplified by at most 1 mm but not shortened, with its bounding box centred. The axes of the
    sole are the link's, permuted so that with all joints at zero x is closest to the robot's
    forward direction and z closest to up.

    Parameters
    ----------
    path : the URDF, MJCF or xacro; ``package://`` is searched in `packages`, in the folders above
        it and in those of ROS, see `find_packages`.
    link : name of a link, such as "left_sole_link".
    thickness : of the sole [m]; a URDF has none.
    arguments : "NAME=VALUE" for each argument of a xacro.

    Raises
    ------
    ShapeError
        Pinocchio is missing, the URDF unreadable, the link unknown (the message lists the
        links), or its geometry missing or not the size of a foot.
    """
    _pinocchio()
    path = Path(path)
    tree = read_urdf(path, packages, arguments)
    find_packages(tree, path, packages)
    return foot_of_tree(tree, path, link, thickness, packages)


def foot_of_tree(
    tree: ET.Element,
    path: Path,
    link: str,
    thickness: float = 0.02,
    packages: Sequence[str | Path] = (),
) -> LinkSole:
    """Return what `foot_of_urdf` returns, from what `read_urdf` and `find_packages` made of it."""
    pin, tree = _pinocchio(), deepcopy(tree)
    model = model_of(tree, path, floating=False)
    links = [f.name for f in model.frames if f.type == pin.FrameType.BODY]
    if link not in links:
        raise ShapeError(f"{path}: no link '{link}'; the links are {', '.join(links)}")
    frame = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
    folders = plain_folders(packages)
    points = _points(pin, model, frame, _only_shapes_at(pin, model, frame, tree), path, folders)
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    world = data.oMi[frame.parentJoint] * frame.placement
    R = nearest_axes(np.array(world.rotation))
    outline, height = outline_from_below(points @ R)
    center = (outline.min(axis=0) + outline.max(axis=0)) / 2
    size = np.ptp(outline, axis=0)
    refuse_size((float(size[0]), float(size[1]), thickness), f"{path}: the sole of '{link}'")
    link_to_sole = np.eye(4)
    link_to_sole[:3, :3] = R
    link_to_sole[:3, 3] = R @ np.array([*center, height])
    shape = Shape(
        name=link,
        polygon=Polygon(points=tuple((float(x), float(y)) for x, y in outline - center)),
        thickness=thickness,
    )
    return LinkSole(shape=shape, link=link, link_to_sole=link_to_sole)


def outline_from_below(points: FloatArray) -> tuple[FloatArray, float]:
    """Return the outline (k, 2) of the lower half of points (n, 3), and their lowest z.

    The outline is the convex hull without corners that protrude less than 1 mm, except extremes.

    Raises
    ------
    ShapeError
        The points span no area.
    """
    from shapely import MultiPoint
    from shapely import Polygon as Area

    low, high = points[:, 2].min(), points[:, 2].max()
    band = points[points[:, 2] <= low + BAND * (high - low)]
    hull = MultiPoint(band[:, :2]).convex_hull
    if not isinstance(hull, Area):
        raise ShapeError("the geometry seen from below encloses no area")
    corners = np.array(hull.exterior.coords[:-1])
    # simplification alone would shorten length and width by up to its tolerance
    extreme = corners[[*corners.argmin(axis=0), *corners.argmax(axis=0)]]
    kept = np.concatenate([np.array(hull.simplify(_SIMPLIFY).exterior.coords[:-1]), extreme])
    return np.array(MultiPoint(kept).convex_hull.exterior.coords[:-1]), float(low)


def nearest_axes(rotation: FloatArray) -> FloatArray:
    """Return the (3, 3) rotation whose columns are the link axes closest to world x, y, z.

    Parameters
    ----------
    rotation : (3, 3), from link to world coordinates.
    """
    z = _axis(rotation.T[:, 2], None)
    x = _axis(rotation.T[:, 0], z)
    return np.column_stack([x, np.cross(z, x), z])


def _axis(direction: FloatArray, taken: FloatArray | None) -> FloatArray:
    """Return the signed unit vector closest to `direction`, except +-`taken`."""
    free = direction if taken is None else np.where(taken != 0, 0.0, direction)
    k = int(np.abs(free).argmax())
    axis = np.zeros(3)
    axis[k] = 1.0 if free[k] >= 0 else -1.0
    return axis


def _only_shapes_at(pin: Any, model: Any, frame: Any, tree: ET.Element) -> str:
    """Return the XML without materials, and without shapes of links that other joints carry.

    Meshes of the rest of the robot may then be missing, and a material without a name, with which
    the parser leaves a shape out, does not matter.
    """
    for link in tree.findall("link"):
        own = model.frames[model.getFrameId(link.get("name", ""), pin.FrameType.BODY)]
        here = own.parentJoint == frame.parentJoint
        for shape in (*link.findall("visual"), *link.findall("collision")):
            if not here:
                link.remove(shape)
            for material in shape.findall("material"):
                shape.remove(material)
    return ET.tostring(tree, encoding="unicode")


def _points(
    pin: Any, model: Any, frame: Any, text: str, path: Path, packages: Sequence[Path]
) -> FloatArray:
    """Return the vertices (n, 3) of the geometry on the frame's joint, in the frame [m]."""
    folders = [str(p) for p in (*packages, *path.resolve().parents)]
    _check_meshes(text, [Path(p) for p in folders])
    problem = "neither collision nor visual geometry"
    for kind in (pin.GeometryType.COLLISION, pin.GeometryType.VISUAL):
        try:
            with captured(2), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                geometry = pin.buildGeomFromUrdfString(model, text, kind, package_dirs=folders)
        except Exception as error:
            problem = " ".join(str(error).split())
            continue
        parts = []
        for item in geometry.geometryObjects:
            if item.parentJoint == frame.parentJoint:
                to_link = frame.placement.inverse() * item.placement
                corners = _corners(item.geometry)
                turn = np.eye(3) if _is_contact_ball(item.geometry) else to_link.rotation
                parts.append(corners @ turn.T + to_link.translation)
        if parts:
            return np.concatenate(parts)
    raise ShapeError(f"{path}: cannot find the foot of '{frame.name}': {problem}")


def _check_meshes(text: str, folders: Sequence[Path]) -> None:
    """Refuse a mesh that its reader would wait for, or for which the memory is too small."""
    for mesh in ET.fromstring(text).iter("mesh"):
        name = mesh.get("filename", "").removeprefix("package://").removeprefix("file://")
        for place in (folder / name for folder in folders):
            if os.path.exists(place):
                existing_file(place, ShapeError, most=LARGEST_MESH)
                break


def _is_contact_ball(geometry: Any) -> bool:
    """Return whether a shape is a small ball, as learning environments put under flat feet."""
    return type(geometry).__name__ == "Sphere" and geometry.radius <= BALL


def _corners(geometry: Any) -> FloatArray:
    """Return the vertices of a mesh (already scaled), or points on a primitive's outline.

    Of a contact ball these are the corners of the cube around it, so that four balls under a foot
    outline a flat tread with four corners.
    """
    name = type(geometry).__name__
    if _is_contact_ball(geometry):
        cube: FloatArray = geometry.radius * CUBE
        return cube
    if name.startswith("BVHModel"):
        return np.array(geometry.vertices(), dtype=float).reshape(-1, 3)
    if name.startswith("Convex"):
        return np.array([geometry.point(i) for i in range(geometry.num_points)], dtype=float)
    if name == "Box":
        box: FloatArray = CUBE * np.asarray(geometry.halfSide, dtype=float)
        return box
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    if name in ("Cylinder", "Cone"):
        ring = geometry.radius * np.column_stack([np.cos(angle), np.sin(angle)])
        ends = [-geometry.halfLength] + [geometry.halfLength] * (name == "Cylinder")
        return np.concatenate([np.column_stack([ring, np.full(len(ring), z)]) for z in ends])
    if name in ("Sphere", "Capsule", "Ellipsoid"):
        radii = np.asarray(getattr(geometry, "radii", [getattr(geometry, "radius", 0.0)] * 3))
        up = np.linspace(-np.pi / 2, np.pi / 2, 37)
        a, b = (g.ravel() for g in np.meshgrid(angle, up))
        ball = radii * np.column_stack([np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)])
        half = np.array([0.0, 0.0, getattr(geometry, "halfLength", 0.0)])
        return np.concatenate([ball - half, ball + half])
    raise ShapeError(f"cannot outline a '{name}'; give the foot a mesh, box, cylinder or ball")


def _pinocchio() -> Any:
    try:
        import pinocchio
    except ImportError as error:
        raise ShapeError(f"Pinocchio cannot be loaded ({error}); run `sole doctor`") from error
    return pinocchio
