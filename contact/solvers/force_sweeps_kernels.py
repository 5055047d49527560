"""Compiled sweeps over soles by forces, without soles swept by velocities.

The same sweeps as `contact.solvers.sole_sweeps_kernels`: what a call has to set up, and what a
changed contact costs, is less. Products and sums are fused ("contract"), which saves a tenth;
``NUMBA_DISABLE_JIT=1`` gives other round-off.

A contact waits for the one before, so what counts is how long its chain of operations is, and how
many instructions stand between two contacts. Hence the law of a contact is written out here, and
all loops run over numbers at places that LLVM knows: see `contact.solvers.force_setup_kernels`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from contact.problem import ComplianceArrays, SoleArrays, velocity_at
from contact.solvers.force_setup_kernels import ROW, write_velocities
from contact.solvers.gauss_seidel_kernels import (
    LawArrays,
    SweepRule,
    shuffle,
    skip_threshold,
)
from contact.solvers.one_contact_kernels import (
    natural_residual,
    slide_anew,
    slide_on,
)
from sole.base.arrays import FloatArray
from sole.base.compiled import inner_kernel

NEAR = 10.0  # targets: residuals are measured once a sweep changes the forces by less
UNSEEN = 4  # sweeps without


class ForceRoom(NamedTuple):
    """What sweeps by forces keep of contacts.

    Attributes
    ----------
    turned : (3 K bodies, ROW) A_k S, as `prepare_motions` writes it.
    residual : (K,) room for natural residuals squared.
    """

    turned: FloatArray
    residual: FloatArray


@inner_kernel
def measure_forces(
    W: SoleArrays, d: FloatArray, z: FloatArray, law: LawArrays, r: FloatArray, residual: FloatArray
) -> float:
    """Write the natural residual of every contact, squared, into (K,); return their sum.

    u = P d + A z + q, with z (ROW bodies,) twists.
    """
    _, node, body, P, A, _ = W
    P, A = P.reshape(-1), A.reshape(-1)
    _, q, mu, rho = law
    total, three, row = 0.0, np.uint64(3), np.uint64(ROW)
    for k in range(np.uint64(len(node))):
        i, t = three * np.uint64(node[k]), row * np.uint64(body[k])
        u0, u1, u2 = velocity_at(k, i, t, P, A, d, z)
        residual[k] = natural_residual(
            r[k, 0], r[k, 1], r[k, 2], u0 + q[k, 0], u1 + q[k, 1], u2 + q[k, 2], mu[k], rho
        )
        total += residual[k]
    return total


@inner_kernel(fastmath={"contract"})
def sweep_forces(
    C: ComplianceArrays,
    room: ForceRoom,
    W: SoleArrays,
    d: FloatArray,
    y: FloatArray,
    law: LawArrays,
    r: FloatArray,
    rule: SweepRule,
    state: int,
) -> tuple[int, int]:
    """Sweep at most `most` times in a new random order each; r (K, 3) in place.

    As `sweep_soles`; displacements d (3M,) and twists y (6 bodies,) come in.
    Residuals are measured, and small ones left for later, only near the end: to measure all takes
    a fifth of the time of a sweep. Returns the sweeps done and the state of the generator.
    """
    flat, first, position = C
    scale, node, body, P, A, _ = W
    local, q, mu, rho = law
    omega, wait, most, target = rule
    K, residual, turned, done = len(node), room.residual, room.turned.reshape(-1), 0
    count = np.uint64(room.turned.shape[1])
    order, base = np.arange(K), np.empty((K, 3))
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    four, five, six, nine = np.uint64(4), np.uint64(5), np.uint64(6), np.uint64(9)
    row, bodies = np.uint64(ROW), np.uint64(len(scale))
    # Changes of d and y, and u without them.
    change = np.zeros(len(d))
    z = np.zeros(ROW * len(scale))
    Pf, Af = P.reshape(-1), A.reshape(-1)
    write_velocities(node, body, Pf, Af, d, y, q, base)
    law = LawArrays(local, base, mu, rho)
    total = measure_forces(W, change, z, law, r, residual)
    enough = target * rho
    skip = -1.0  # nobody waits where residuals are not known
    while math.sqrt(total) > enough and done < most:
        state = shuffle(order, state)
        moved = 0.0
        for o in range(K):
            k = np.uint64(order[o])
            if residual[k] <= skip:
                continue
            b, i = np.uint64(body[k]), np.uint64(node[k])
            p = nine * k
            u0, u1, u2 = velocity_at(k, three * i, row * b, Pf, Af, change, z)
            u0, u1, u2 = u0 + base[k, 0], u1 + base[k, 1], u2 + base[k, 2]
            f0, f1, f2 = r[k, 0], r[k, 1], r[k, 2]
            m, w_n = mu[k], local[k, 0]
            rest = u2 - w_n * (local[k, 5] * f0 + local[k, 6] * f1 + f2)  # u_n without the force
            # As `solve_contact`; relaxation where it slides costs a root and saves no sweep.
            n0 = f0 - (local[k, 12] * u0 + local[k, 13] * u1 + local[k, 15] * u2)
            n1 = f1 - (local[k, 13] * u0 + local[k, 14] * u1 + local[k, 16] * u2)
            n2 = f2 - (local[k, 15] * u0 + local[k, 16] * u1 + local[k, 17] * u2)
            if rest >= 0.0:
                n0 = n1 = n2 = 0.0
            elif n2 >= 0.0 and n0 * n0 + n1 * n1 <= (m * n2) ** 2:
                # What would leave the cone is not relaxed: cutting it would cost a root.
                x0, x1, x2 = f0 + omega * (n0 - f0), f1 + omega * (n1 - f1), f2 + omega * (n2 - f2)
                if x2 > 0.0 and x0 * x0 + x1 * x1 <= (m * x2) ** 2:
                    n0, n1, n2 = x0, x1, x2
            else:
                near, n0, n1, n2 = slide_on(local, k, f0, f1, f2, u0, u1, u2, m)
                if not near:
                    n0, n1, n2 = slide_anew(local, k, f0, f1, f2, u0, u1, u2, m)
            r[k, 0], r[k, 1], r[k, 2] = n0, n1, n2
            n0, n1, n2 = n0 - f0, n1 - f1, n2 - f2
            square = n0 * n0 + n1 * n1 + n2 * n2
            if square == 0.0:
                continue
            moved += square
            for c in range(bodies):
                x = (k * bodies + c) * three * row
                for j in range(count):
                    z[c * row + j] += (
                        turned[x + j] * n0
                        + turned[x + row + j] * n1
                        + turned[x + two * row + j] * n2
                    )
            if position[b] >= 0:
                w = scale[b]
                g0 = w * (Pf[p] * n0 + Pf[p + three] * n1 + Pf[p + six] * n2)
                g1 = w * (Pf[p + one] * n0 + Pf[p + four] * n1 + Pf[p + six + one] * n2)
                g2 = w * (Pf[p + two] * n0 + Pf[p + five] * n1 + Pf[p + six + two] * n2)
                n, begin = np.uint64(3 * (first[b + one] - first[b])), np.uint64(3 * first[b])
                row0 = np.uint64(position[b]) + (three * i - begin) * n
                row1 = row0 + n
                row2 = row1 + n
                for j in range(n):
                    change[begin + j] += (
                        g0 * flat[row0 + j] + g1 * flat[row1 + j] + g2 * flat[row2 + j]
                    )
        done += 1
        if moved <= (NEAR * enough) ** 2 or done % UNSEEN == 0:
            total = measure_forces(W, change, z, law, r, residual)
            skip = skip_threshold(total, target, rho, wait, K)
        else:
            total, skip = moved, -1.0
    return done, state
