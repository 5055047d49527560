"""Sheets: Python and the compiled loops find the same parts, and what is made later is ordinary."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, replace
from functools import cached_property
from types import SimpleNamespace

import numpy as np
import pytest
from doors import door

from contact.swept_step import open_sheet
from contact.swept_step.buffer_arrays import (
    NUMBERS,
    counts_sheet,
    details_sheet,
    open_counts,
    open_details,
    stuck_sheet,
    wrenches_in,
)
from robot.fused.fused_sheet import fused_sheet, open_fused
from robot.tree import open_tree, tree_sheet
from sole.base.arrays import trusted
from sole.base.made_later import MadeLater, of_details


@pytest.mark.parametrize(("nodes", "slots", "bodies", "planes"), [(5, 2, 1, 1), (7, 3, 3, 4)])
def test_both_know_the_same_places_of_soles(nodes, slots, bodies, planes):
    places = stuck_sheet(nodes, slots, bodies, planes)
    sheet = np.arange(float(places.size))
    opened = door(open_sheet)(sheet, nodes, slots, bodies)
    assert sum(part.size for part in opened) == places.size and opened.numbers.size == NUMBERS
    for name, part in opened._asdict().items():
        np.testing.assert_array_equal(part, places.part(sheet, name), err_msg=name)
    np.testing.assert_array_equal(wrenches_in(sheet, bodies).ravel(), opened.twists[0])


@pytest.mark.parametrize(("contacts", "nodes", "slots"), [(0, 3, 2), (4, 3, 2), (5, 7, 3)])
def test_both_know_the_same_places_of_sweeps(contacts, nodes, slots):
    places, counts = details_sheet(contacts, nodes, slots), counts_sheet(nodes, slots)
    sheet, integers = np.arange(places.size + 5.0), np.arange(counts.size)
    opened, counted = (
        door(open_details)(sheet, contacts, nodes, slots),
        door(open_counts)(integers, nodes, slots),
    )
    assert sum(part.size for part in opened) == places.size
    assert sum(part.size for part in counted) == counts.size
    for name, part in opened._asdict().items():
        np.testing.assert_array_equal(part, places.part(sheet, name), err_msg=name)
    for name, part in counted._asdict().items():
        np.testing.assert_array_equal(part, counts.part(integers, name), err_msg=name)


@pytest.mark.parametrize(("bodies", "joints", "nv"), [(1, 2, 8), (3, 5, 17)])
def test_both_know_the_same_places_of_robots(bodies, joints, nv):
    places = fused_sheet(bodies, joints, nv)
    sheet = np.arange(float(places.size))
    opened = door(open_fused)(sheet, bodies, joints)
    assert sum(part.size for part in opened) == places.size
    for name, part in opened._asdict().items():
        np.testing.assert_array_equal(part, places.part(sheet, name), err_msg=name)


@pytest.mark.parametrize(("links", "nv"), [(1, 6), (5, 9)])
def test_both_know_the_same_places_of_trees(links, nv):
    places = tree_sheet(links, nv)
    sheet = np.arange(float(places.size))
    opened = door(open_tree)(sheet, links)
    assert sum(part.size for part in opened) == places.size
    for name, part in opened._asdict().items():
        np.testing.assert_array_equal(part, places.part(sheet, name), err_msg=name)


@dataclass(frozen=True)
class Pair:
    cheap: int
    dear: int


class LatePair(MadeLater, Pair):
    ordinary = Pair

    @cached_property
    def dear(self):
        return 2 * self.cheap


class DetailedPair(MadeLater, Pair):
    ordinary = Pair
    dear = of_details("dear")


@pytest.mark.parametrize(
    ("kind", "given"), [(LatePair, {}), (DetailedPair, {"details": SimpleNamespace(dear=6)})]
)
def test_copies_of_what_is_made_later_are_ordinary(kind, given):
    late = trusted(kind, cheap=3, **given)
    assert isinstance(late, Pair) and "dear" not in vars(late)
    for other in (copy.copy(late), copy.deepcopy(late), pickle.loads(pickle.dumps(late))):
        assert type(other) is Pair and vars(other) == {"cheap": 3, "dear": 6}
    assert replace(late, cheap=5) == Pair(5, 6)
