"""Height fields: the ground from an array or an image of heights.

The array is a picture from above: columns go forward (x), the first row is the leftmost (largest
y). The surface is two flat triangles for each cell of four neighbours; the field is solid below
it and ends in upright walls.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError  # of a damaged .npy header
from typing import Any, ClassVar

import numpy as np

from contact.ground import piece_kernels as kernels
from contact.ground.compiled_ground import Piece
from contact.ground.ground import Ground, axes_by_yaw, check_numbers
from sole.base.angles import Angle, stored
from sole.base.arrays import FloatArray, frozen
from sole.base.errors import ConfigError
from sole.base.files import LARGEST_MESH, LARGEST_TEXT, existing_file
from sole.base.units import Metres

IMAGES = (".png", ".pgm", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
LARGEST = 1e3  # m
MOST = 50_000_000  # heights


@dataclass(frozen=True, kw_only=True, eq=False)
class HeightField(Ground):
    """Heights (rows, columns) [m], `scale` [m] from neighbour to neighbour, about (x, y), above z.

    `yaw` [rad] turns the field about its centre.
    """

    kind: ClassVar[str] = "heightfield"
    heights: FloatArray
    scale: Metres
    x: Metres = 0.0
    y: Metres = 0.0
    z: Metres = 0.0
    yaw: Angle = 0.0

    def __post_init__(self) -> None:
        h = np.asarray(self.heights, dtype=float)
        if h.ndim != 2 or min(h.shape) < 2:
            raise ConfigError(f"a height field needs at least 2 x 2 heights, got shape {h.shape}")
        if h.size > MOST:
            raise ConfigError(f"a height field of {h.size} heights is more than {MOST}")
        bad = ~np.isfinite(h) | (np.abs(h) > LARGEST)
        if bad.any():
            row, column = (int(k) for k in np.argwhere(bad)[0])
            raise ConfigError(
                f"height [{row}, {column}] is {h[row, column]:g} m: heights must be finite and at "
                f"most {LARGEST:g} m"
            )
        check_numbers(self, "scale")
        object.__setattr__(self, "heights", frozen(h))

    @property
    def solids(self) -> tuple[Piece, ...]:
        """See `Ground.solids`."""
        rows, columns = self.heights.shape
        upward = frozen(self.heights[::-1])  # the kernel counts rows along y
        return (
            Piece(
                kind=kernels.FIELD,
                origin=np.array([self.x, self.y, self.z]),
                axes=axes_by_yaw(self.yaw),
                size=np.array([self.scale, columns, rows, 0.0, float(upward.max()), 0.0]),
                heights=upward,
            ),
        )

    def assembled(self) -> tuple[Piece, ...]:
        """See `Ground.assembled`: a field needs no floor."""
        return self.solids

    def header(self) -> dict[str, Any]:
        """See `Ground.header`."""
        values = {name: getattr(self, name) for name in ("scale", "x", "y", "z", "yaw")}
        values = stored(HeightField, values)
        return {"kind": self.kind, "heights": self.heights.tolist(), **values}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, HeightField) and self.header() == other.header()

    def __hash__(self) -> int:
        return hash((self.kind, self.heights.tobytes(), self.scale, self.x, self.y, self.yaw))

    def __str__(self) -> str:
        rows, columns = self.heights.shape
        low, high = float(self.heights.min()), float(self.heights.max())
        return (
            f"heightfield of {columns} x {rows}, scale {self.scale:g} m, {low:.3g} to {high:.3g} m"
        )


def read_heights(path: Path, height: float = 1.0) -> FloatArray:
    """Heights (rows, columns) [m] from an array (.npy, .csv, .txt) or an image.

    Parameters
    ----------
    height : factor on the values [m]; an image is first scaled to 0 (black) to 1 (white).

    Raises
    ------
    ConfigError
        No such file, not an array, not an image.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix in (".csv", ".txt"):
        existing_file(path, ConfigError, most=LARGEST_TEXT, padding=0)
    else:
        existing_file(path, ConfigError, most=LARGEST_MESH)
    try:
        if suffix == ".npy":
            # mapped first: a header may declare more than the file holds
            values = np.array(np.load(path, mmap_mode="r", allow_pickle=False))
        elif suffix in (".csv", ".txt"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an empty file is refused below
                values = np.loadtxt(path, delimiter="," if suffix == ".csv" else None, ndmin=2)
        elif suffix in IMAGES:
            values = _image(path)
        else:
            raise ConfigError(
                f"{path}: heights come as .npy, .csv, .txt or an image ({', '.join(IMAGES)})"
            )
    except ConfigError:
        raise
    except (OSError, EOFError, ValueError, SyntaxError, TokenError) as error:
        what = "image" if suffix in IMAGES else "array of numbers"
        raise ConfigError(f"{path}: not a readable {what} ({error})") from error
    if values.ndim != 2 or not np.issubdtype(values.dtype, np.number):
        raise ConfigError(f"{path}: expected a table of heights, got shape {values.shape}")
    if np.iscomplexobj(values):
        raise ConfigError(f"{path}: heights are real numbers")
    return np.asarray(values, dtype=float) * height


def _image(path: Path) -> FloatArray:
    """Brightness 0 to 1 of an image, whatever its number of bits and colours."""
    from PIL import Image

    try:
        with Image.open(path) as image:
            if image.width * image.height > MOST:
                raise ConfigError(f"{path}: {image.width} x {image.height} is more than {MOST}")
            if image.mode in ("I", "I;16", "I;16B", "I;16L"):
                return np.asarray(image, dtype=float) / 65535.0
            if image.mode == "F":
                return np.asarray(image, dtype=float)
            return np.asarray(image.convert("L"), dtype=float) / 255.0
    except Image.DecompressionBombError as error:
        raise ConfigError(f"{path}: {error}") from error
