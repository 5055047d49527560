"""The table of pieces that the compiled loops of the ground read, and what they all share.

Imports numpy and numba only; scalar arithmetic without fast-math, so that
``NUMBA_DISABLE_JIT=1`` gives the same numbers.

Piece s of the ground is a row of the `table`: origin (3), axes (3, 3) whose columns are its own
axes, size (6), an upright box around it (6: low, high), kind. Its size means, by kind,

    PLANE  the half space z <= 0                          size unused
    BOX    low <= x <= high, bounds may be infinite        low (3), high (3)
    BALL   |x| <= radius                                   radius
    ROD    |x - (0, t, 0)| <= radius for some |t| <= half  radius, half (may be infinite)
    FIELD  z <= triangles over a grid of heights about 0   pitch, columns, rows, first height,
           (row by row along y), and within the grid       highest height, first block

Gaps to boxes, steps and stairs are in `gap_to_box_stair_kernels`, to height fields in
`gap_to_field_kernels`, to balls, rods and any piece in `gap_kernels`; `query_kernels` finds the
nearest surfaces of many points.

Distances are exact: outside, from the nearest point of the piece; a union of pieces is as far
as the nearest of them. A field is searched only `RINGS` cells around a point: its distance is
exact up to RINGS pitches; beyond, it is an estimate, no less than that and, over the field, no
more than the vertical distance: where the ground is that much lower all around, the distance to
the plane of the facet below, else to the nearest facet searched.
"""

from __future__ import annotations

from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel

PLANE, BOX, BALL, ROD, FIELD = 0, 1, 2, 3, 4
TURNED = 0.999  # cosine of the angle (2.6 degrees) between normals that are different surfaces
FLUSH = 1e-9  # m: a piece that stands out by less from another's tangent plane is no obstacle
RINGS, NEAR = 4, 2  # cells searched around a point of a field: for its distance, a second facet
BLOCK = 8  # cells for which the highest height around is kept; pieces with a common bound
AXES, SIZE, BOUND, KIND, COLUMNS = 3, 12, 18, 24, 25  # of a row of the table; 0: origin
STEEP = 0.9  # cosine between normal and leading axis beyond which the frame takes the other axis

# Points and directions are tuples of three numbers: slices of arrays would cost more than the
# arithmetic.
Vector = tuple[float, float, float]


@inner_kernel
def dot(a: Vector, b: Vector) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def row_of(array: FloatArray, i: int) -> Vector:
    """Row i of an array (n, 3)."""
    return array[i, 0], array[i, 1], array[i, 2]


@inner_kernel
def turn_in(table: FloatArray, s: int, r: Vector) -> Vector:
    """Return the world direction r in the axes of piece s."""
    return (
        r[0] * table[s, AXES + 0] + r[1] * table[s, AXES + 3] + r[2] * table[s, AXES + 6],
        r[0] * table[s, AXES + 1] + r[1] * table[s, AXES + 4] + r[2] * table[s, AXES + 7],
        r[0] * table[s, AXES + 2] + r[1] * table[s, AXES + 5] + r[2] * table[s, AXES + 8],
    )


@inner_kernel
def move_in(table: FloatArray, s: int, p: Vector) -> Vector:
    """Return the world point p in the axes of piece s."""
    r = (p[0] - table[s, 0], p[1] - table[s, 1], p[2] - table[s, 2])
    return turn_in(table, s, r)


@inner_kernel
def turn_out(table: FloatArray, s: int, n: Vector) -> Vector:
    """Return the direction n, axes of piece s, in world axes."""
    return (
        table[s, AXES + 0] * n[0] + table[s, AXES + 1] * n[1] + table[s, AXES + 2] * n[2],
        table[s, AXES + 3] * n[0] + table[s, AXES + 4] * n[1] + table[s, AXES + 5] * n[2],
        table[s, AXES + 6] * n[0] + table[s, AXES + 7] * n[1] + table[s, AXES + 8] * n[2],
    )


@inner_kernel
def measure_excess(x: float, low: float, high: float) -> float:
    """Return how far x lies above `high` (> 0) or below `low` (< 0), 0 between them."""
    return x - high if x > high else (x - low if x < low else 0.0)
