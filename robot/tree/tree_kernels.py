"""Compiled: sweeps over a tree of rigid bodies, in world axes about the world's origin.

With the twist J_k of all links behind joint k per velocity, and dv = dv/dt, link i behind its
parent o has

    V_i = V_o + J v,      A_i = A_o + J dv + V_i x J v,      A_0 = (-g, 0),
    F_i = Y_i A_i + V_i x* Y_i V_i,      tau_k = J_k . (sum of F of the links behind k),
    M_kl = J_k . (sum of Y of the links behind k and l) J_l:

the recursive Newton-Euler and the composite rigid body algorithm [Featherstone2008]. Three by three
products are written out: arrays for them would double the time.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from robot.tree.tree_arrays import LinkArrays, TreeState, open_tree
from sole.base.arrays import BoolArray, FloatArray
from sole.base.compiled import inner_kernel

Three = tuple[float, float, float]
Six = tuple[float, float, float, float, float, float]
Rotation = tuple[float, float, float, float, float, float, float, float, float]


@inner_kernel
def turn_single(x: float, y: float, z: float, angle: float) -> Rotation:
    """Return c 1 + s [n]x + (1 - c) n n', the rotation about n = (x, y, z); 1 for n = 0."""
    slides = x == 0.0 and y == 0.0 and z == 0.0
    c, s = 1.0 if slides else cos(angle), sin(angle)
    d = 1.0 - c
    return (
        c + d * x * x, d * x * y - s * z, d * x * z + s * y,
        d * x * y + s * z, c + d * y * y, d * y * z - s * x,
        d * x * z - s * y, d * y * z + s * x, c + d * z * z,
    )  # fmt: skip


@inner_kernel
def turn_free(x: float, y: float, z: float, w: float) -> Rotation:
    """Return the rotation of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inner_kernel
def cross(a: Three, b: Three) -> Three:
    """Return a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner_kernel
def multiply_inertia(Y: FloatArray, x: FloatArray) -> Six:
    """Return Y x of an inertia (10,) and a twist or its rate (6,)."""
    a, b, c, u, v, w = Y[1], Y[2], Y[3], x[3], x[4], x[5]
    return (
        Y[0] * x[0] + v * c - w * b,
        Y[0] * x[1] + w * a - u * c,
        Y[0] * x[2] + u * b - v * a,
        b * x[2] - c * x[1] + Y[4] * u + Y[5] * v + Y[6] * w,
        c * x[0] - a * x[2] + Y[5] * u + Y[7] * v + Y[8] * w,
        a * x[1] - b * x[0] + Y[6] * u + Y[8] * v + Y[9] * w,
    )


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def move_links(
    tree: LinkArrays, q: FloatArray, v: FloatArray, dv: FloatArray, into: TreeState
) -> None:
    """Fill poses, J, twists and accelerations for q (nq,), v (nv,) and dv (nv,), or (0,): 0."""
    R, p, V, A, J = into.R, into.p, into.V, into.A, into.J
    for a in range(3):
        for b in range(3):
            R[0, a, b] = 1.0 if a == b else 0.0
        p[0, a] = V[0, a] = V[0, 3 + a] = A[0, 3 + a] = 0.0
        A[0, a] = -tree.gravity[a]
    for i in range(1, len(tree.joints)):
        # The joint's own motion: rotation Q, translation t.
        o, at, k = tree.joints[i, 0], tree.joints[i, 1], tree.joints[i, 2]
        end = k + tree.joints[i, 3]
        S, P = tree.screws[k], tree.placement[i]
        if end == k + 1:
            Q = turn_single(S[3], S[4], S[5], q[at])
            t0, t1, t2 = S[0] * q[at], S[1] * q[at], S[2] * q[at]
        else:
            Q = turn_free(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
            t0, t1, t2 = q[at], q[at + 1], q[at + 2]
        # Pose of the link: R_i = R_o P Q, p_i.
        for a in range(3):
            x, y, z = R[o, a, 0], R[o, a, 1], R[o, a, 2]
            d = x * P[0] + y * P[3] + z * P[6]
            e = x * P[1] + y * P[4] + z * P[7]
            f = x * P[2] + y * P[5] + z * P[8]
            R[i, a, 0] = d * Q[0] + e * Q[3] + f * Q[6]
            R[i, a, 1] = d * Q[1] + e * Q[4] + f * Q[7]
            R[i, a, 2] = d * Q[2] + e * Q[5] + f * Q[8]
            p[i, a] = p[o, a] + x * P[9] + y * P[10] + z * P[11] + d * t0 + e * t1 + f * t2
        # Its columns of J, and x = J_i v, what its joint adds to the twist.
        x0 = x1 = x2 = x3 = x4 = x5 = 0.0
        for a in range(6):
            A[i, a] = A[o, a]
        for c in range(k, end):
            S, r = tree.screws[c], R[i]
            spin = (
                r[0, 0] * S[3] + r[0, 1] * S[4] + r[0, 2] * S[5],
                r[1, 0] * S[3] + r[1, 1] * S[4] + r[1, 2] * S[5],
                r[2, 0] * S[3] + r[2, 1] * S[4] + r[2, 2] * S[5],
            )
            turned = cross((p[i, 0], p[i, 1], p[i, 2]), spin)
            J[c, 0] = r[0, 0] * S[0] + r[0, 1] * S[1] + r[0, 2] * S[2] + turned[0]
            J[c, 1] = r[1, 0] * S[0] + r[1, 1] * S[1] + r[1, 2] * S[2] + turned[1]
            J[c, 2] = r[2, 0] * S[0] + r[2, 1] * S[1] + r[2, 2] * S[2] + turned[2]
            J[c, 3], J[c, 4], J[c, 5] = spin
            x0 += J[c, 0] * v[c]
            x1 += J[c, 1] * v[c]
            x2 += J[c, 2] * v[c]
            x3 += J[c, 3] * v[c]
            x4 += J[c, 4] * v[c]
            x5 += J[c, 5] * v[c]
            if len(dv):
                for a in range(6):
                    A[i, a] += J[c, a] * dv[c]
        # Twist V_i = V_o + x, acceleration A_i = A_o + J_i dv + V_i x (x).
        u0, u1, u2 = V[o, 0] + x0, V[o, 1] + x1, V[o, 2] + x2
        w0, w1, w2 = V[o, 3] + x3, V[o, 4] + x4, V[o, 5] + x5
        V[i, 0], V[i, 1], V[i, 2], V[i, 3], V[i, 4], V[i, 5] = u0, u1, u2, w0, w1, w2
        A[i, 0] += w1 * x2 - w2 * x1 + u1 * x5 - u2 * x4
        A[i, 1] += w2 * x0 - w0 * x2 + u2 * x3 - u0 * x5
        A[i, 2] += w0 * x1 - w1 * x0 + u0 * x4 - u1 * x3
        A[i, 3] += w1 * x5 - w2 * x4
        A[i, 4] += w2 * x3 - w0 * x5
        A[i, 5] += w0 * x4 - w1 * x3


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def weigh_links(tree: LinkArrays, into: TreeState) -> None:
    """Fill the inertias Y, after `move_links`."""
    Y = into.Y
    Y[0] = 0.0
    for i in range(1, len(Y)):
        R, p, B = into.R[i], into.p[i], tree.bodies[i]
        m, x, y, z = B[0], B[1], B[2], B[3]
        c0 = p[0] + R[0, 0] * x + R[0, 1] * y + R[0, 2] * z
        c1 = p[1] + R[1, 0] * x + R[1, 1] * y + R[1, 2] * z
        c2 = p[2] + R[2, 0] * x + R[2, 1] * y + R[2, 2] * z
        Y[i, 0], Y[i, 1], Y[i, 2], Y[i, 3] = m, m * c0, m * c1, m * c2
        k = 4
        for a in range(3):
            x = R[a, 0] * B[4] + R[a, 1] * B[5] + R[a, 2] * B[6]
            y = R[a, 0] * B[5] + R[a, 1] * B[7] + R[a, 2] * B[8]
            z = R[a, 0] * B[6] + R[a, 1] * B[8] + R[a, 2] * B[9]
            for b in range(a, 3):
                Y[i, k] = x * R[b, 0] + y * R[b, 1] + z * R[b, 2]
                k += 1
        Y[i, 4] += m * (c1 * c1 + c2 * c2)
        Y[i, 5] -= m * c0 * c1
        Y[i, 6] -= m * c0 * c2
        Y[i, 7] += m * (c0 * c0 + c2 * c2)
        Y[i, 8] -= m * c1 * c2
        Y[i, 9] += m * (c0 * c0 + c1 * c1)


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def sum_forces(tree: LinkArrays, dv: FloatArray, into: TreeState, tau: FloatArray) -> None:
    """Fill F, then summed over the links behind each, and tau (nv,); dv as for `move_links`."""
    F, J = into.F, into.J
    F[0] = 0.0
    for i in range(1, len(F)):
        V = into.V[i]
        f, h = multiply_inertia(into.Y[i], into.A[i]), multiply_inertia(into.Y[i], V)
        u, w = (V[0], V[1], V[2]), (V[3], V[4], V[5])
        x, y, z = cross(w, h[:3]), cross(w, h[3:]), cross(u, h[:3])
        F[i, 0], F[i, 1], F[i, 2] = f[0] + x[0], f[1] + x[1], f[2] + x[2]
        F[i, 3], F[i, 4], F[i, 5] = f[3] + y[0] + z[0], f[4] + y[1] + z[1], f[5] + y[2] + z[2]
    for i in range(len(F) - 1, 0, -1):
        o, k = tree.joints[i, 0], tree.joints[i, 2]
        for c in range(k, k + tree.joints[i, 3]):
            total = tree.rotors[c] * dv[c] if len(dv) else 0.0
            for a in range(6):
                total += J[c, a] * F[i, a]
            tau[c] = total
        for a in range(6):
            F[o, a] += F[i, a]


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def fill_inertia(tree: LinkArrays, into: TreeState, M: FloatArray) -> None:
    """Fill M (nv, nv) with rotors; Y becomes the sum over the links behind each."""
    Y, J, joints = into.Y, into.J, tree.joints
    M[:] = 0.0
    for i in range(len(Y) - 1, 0, -1):
        o, k = joints[i, 0], joints[i, 2]
        for c in range(k, k + joints[i, 3]):
            f = multiply_inertia(Y[i], J[c])
            b = i
            while b > 0:
                first = joints[b, 2]
                for d in range(first, min(c + 1, first + joints[b, 3])):
                    S = J[d]
                    M[c, d] = M[d, c] = (
                        f[0] * S[0] + f[1] * S[1] + f[2] * S[2]
                        + f[3] * S[3] + f[4] * S[4] + f[5] * S[5]
                    )  # fmt: skip
                b = joints[b, 0]
            M[c, c] += tree.rotors[c]
        for a in range(10):
            Y[o, a] += Y[i, a]


@inner_kernel(fastmath={"reassoc", "nsz", "contract"})
def sum_motion(
    tree: LinkArrays, v: FloatArray, links: TreeState, counted: BoolArray,
    c: FloatArray, speed: FloatArray,
) -> tuple[float, float]:  # fmt: skip
    """Fill the centre of mass c (3,) of the `counted` links (N,), and its velocity (3,).

    Returns the kinetic and the potential energy of all links [J], after `weigh_links`.
    """
    kinetic = potential = mass = 0.0
    c[:] = 0.0
    speed[:] = 0.0
    for k in range(len(v)):
        kinetic += 0.5 * tree.rotors[k] * v[k] * v[k]
    for i in range(1, len(counted)):
        Y, V = links.Y[i], links.V[i]
        h = multiply_inertia(Y, V)
        kinetic += 0.5 * (h[0] * V[0] + h[1] * V[1] + h[2] * V[2])
        kinetic += 0.5 * (h[3] * V[3] + h[4] * V[4] + h[5] * V[5])
        for a in range(3):
            potential -= tree.gravity[a] * Y[1 + a]
        if counted[i]:
            mass += Y[0]
            for a in range(3):
                c[a] += Y[1 + a]
            speed[0] += h[0]
            speed[1] += h[1]
            speed[2] += h[2]
    for a in range(3):
        c[a] /= mass
        speed[a] /= mass
    return kinetic, potential


@inner_kernel
def find_centre(
    tree: LinkArrays, q: FloatArray, v: FloatArray, sheet: FloatArray, c: FloatArray,
    speed: FloatArray,
) -> None:  # fmt: skip
    """Fill the centre of mass c (3,) of all links at q, v, and its velocity (3,).

    sheet : of `open_tree`, work space.
    """
    links = open_tree(sheet, len(tree.joints))
    move_links(tree, q, v, np.zeros(0), links)
    weigh_links(tree, links)
    sum_motion(tree, v, links, np.ones(len(tree.joints), np.bool_), c, speed)
