"""Gauss-Seidel sweeps over contacts: one loop for each form of W, and what they need.

`sweep_blocks` reads the columns of a sparse W, `sweep_soles` the compliance of soles on feet, or a
full W, `sweep_few` a full W of a few contacts. `solve_step_soles` is what a step of soles runs.
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.sweeps.block_sweeps_kernels import (
        ColumnArrays,
        LawArrays,
        SweepRule,
        generator_state,
        sweep_blocks,
    )
    from contact.sweeps.few_contacts import solve_few, sweep_rule
    from contact.sweeps.few_contacts_kernels import FEW, solve_few_contacts
    from contact.sweeps.pack_kernels import Pack, make_pack
    from contact.sweeps.solve_soles_kernels import (
        TINY_BLOCK,
        SolvedSoles,
        solve_nothing,
        solve_soles,
    )
    from contact.sweeps.solve_step_kernels import solve_step_soles
    from contact.sweeps.step_contacts_kernels import StepStart, keep_lost
    from contact.sweeps.velocity_sweeps import SoleStiffness, no_stiffness
    from contact.sweeps.velocity_sweeps_kernels import StiffnessArrays, find_held_bodies
else:
    # Later: at once, commands that need no steps would import this, too.
    __getattr__ = load_later(globals())

__all__ = [
    "FEW",
    "TINY_BLOCK",
    "ColumnArrays",
    "LawArrays",
    "Pack",
    "SoleStiffness",
    "SolvedSoles",
    "StepStart",
    "StiffnessArrays",
    "SweepRule",
    "find_held_bodies",
    "generator_state",
    "keep_lost",
    "make_pack",
    "no_stiffness",
    "solve_few",
    "solve_few_contacts",
    "solve_nothing",
    "solve_soles",
    "solve_step_soles",
    "sweep_blocks",
    "sweep_rule",
]
