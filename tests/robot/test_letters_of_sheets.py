"""Letters of sheets of runs are neither cut nor on one another, in small sheets and large ones."""

from __future__ import annotations

import pytest
from letters import faults_of
from small_robot import drop, simulator

from robot.pictures.differences import sheet_of_differences
from robot.pictures.sheet import sheet, single
from robot.pictures.together import sides_of

SIZES = ((400, 300), (800, 600), (300, 1200), None, (3000, 2000))


@pytest.fixture(scope="module")
def run():
    return drop(simulator(), 60, nodes=5).recorder.run()


@pytest.mark.parametrize(
    "size", [*(pytest.param(s, marks=pytest.mark.nightly) for s in SIZES[:-2]), *SIZES[-2:]]
)
def test_letters_of_all_sheets_have_room(run, size):
    assert not faults_of(sheet(run, size))
    assert not faults_of(single(run, "q", size))
    assert not faults_of(sheet_of_differences(sides_of([run, run], ["one", "other"]), size))


@pytest.mark.parametrize(
    "dpi", [pytest.param(dpi, marks=pytest.mark.nightly) for dpi in (30, 100)] + [300]
)
def test_letters_have_room_however_fine_the_dots(run, dpi):
    assert not faults_of(sheet(run), dpi)
