"""Claims of the deformable soles' paper on contact problems."""

from __future__ import annotations

from contact.papers.claims.four_papers import CHARDONNET
from sole.claims import Claim, Criterion, Experiment

__all__ = ["CHARDONNET_CONTACT_CLAIMS"]

HOME = "contact.papers.experiments"
LCP = Experiment(at=f"{HOME}.lemke_pyramids:reproduce_lcp", quick=10, full=60)
SOLE = Experiment(at=f"{HOME}.condensed_pad:reproduce_condensation", quick=5, full=10)

CHARDONNET_CONTACT_CLAIMS = (
    Claim(
        paper=CHARDONNET,
        name="lcp",
        order=10,
        place="2 (1)-(2)",
        says="with friction cones cut into facets contact is an LCP that Lemke's method solves, "
        "but with a larger matrix",
        experiment=LCP,
        given="a pyramid of p facets has p + 2 unknowns for the 3 of a cone, by its definition",
        ours="{unknowns_4:.1f} times as many unknowns with 4 facets, {unknowns_16:.1f} with 16",
    ),
    Claim(
        paper=CHARDONNET,
        name="gauss_seidel",
        order=11,
        place="2",
        says="Gauss-Seidel on exact cones is faster and more precise than the LCP",
        experiment=LCP,
        criteria=(
            Criterion(
                number="least_times",
                low=1,
                trend=True,
                reason="paper: faster, so Lemke takes longer on every problem",
            ),
            Criterion(
                number="least_precise",
                low=10,
                trend=True,
                reason="ours: more precise by a decade at least, of each sliding foot",
            ),
            Criterion(
                number="exact_force",
                high=0.01,
                trend=True,
                reason="ours: % off Newton's forces, a hundred times the tolerance of 1e-6",
            ),
        ),
        ours="Lemke takes {least_times:.0f} to {most_times:.0f} times as long; its forces are "
        "{least_force:.1f} to {most_force:.0f} % off, at least {least_precise:.0f} times as far as "
        "those of Gauss-Seidel (up to {exact_force:.0e} %), directions up to {most_angle:.0f} "
        "degrees",
        remark="errors are to the forces of a third method, semi-smooth Newton, at 1e-12",
    ),
    Claim(
        paper=CHARDONNET,
        name="fig3",
        order=30,
        place="4, figure 3",
        says="Gmsh meshes the sole with tetrahedra of linear fields, of one isotropic material, "
        "under small displacements",
        experiment=SOLE,
        given="it says how a mesh is made: any mesh that we make this way is one of these",
        ours="{tets:.0f} linear tetrahedra, {nodes:.0f} nodes, {tread:.0f} on the tread; volume "
        "within {volume_error:.0e}",
        picture="fig3",
        remark="the paper prints neither sizes nor numbers of elements; HRP-2's sole as we know it",
    ),
    Claim(
        paper=CHARDONNET,
        name="condensation",
        order=31,
        place="4 (5)-(6)",
        says="the stiffness of the contact nodes is K_cc - K_cn K_nn^-1 K_nc, exact where inner "
        "nodes carry no force",
        experiment=SOLE,
        given="block elimination: it is what K u = f leaves of u_n where f_n = 0",
        ours="displacements under random forces on the tread within {condensed_error:.0e} of the "
        "whole sole's (scikit-fem and SciPy alone)",
    ),
    Claim(
        paper=CHARDONNET,
        name="same_form",
        order=32,
        place="4 (3), (4), (7)",
        says="with the sole the velocities are W^c f + v_free: the rigid problem's form, solved in "
        "the same way",
        experiment=SOLE,
        criteria=(
            Criterion(
                number="step_residual",
                high=1e-6,
                trend=True,
                reason="paper: solved in the same way; ours: to the tolerance that the solver of "
                "rigid contacts is given",
            ),
        ),
        ours="steps of a foot of 29 kg on the sole are solved by the rigid problem's solver to "
        "{step_residual:.0e}; the sole moves as the whole one under these forces to "
        "{sole_error:.0e}; momentum balances to {balance:.0e} m g T",
        remark="(7) prints W + dt K_c^-1 with velocities and W = dt Lambda^-1; the units want "
        "K_c^-1/dt, docs/theory.md",
    ),
)
