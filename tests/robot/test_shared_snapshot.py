"""Shared snapshots: nobody reads half of one writing and half of another."""

from __future__ import annotations

import multiprocessing
import time

import numpy as np
import pytest

from robot.live import SharedSnapshot, shared_snapshot

SIZE = 5000  # numbers: a writing takes long enough to be interrupted
WRITINGS = 1500


def write_equal_numbers(name: str, count: int) -> None:
    shared = SharedSnapshot.attach(name, SIZE)
    numbers = np.empty(SIZE)
    for k in range(1, count + 1):
        numbers[:] = k
        shared.write(numbers)
        if k % 3 == 0:
            time.sleep(1e-4)
    shared.close()


def test_no_torn_reads_from_a_process_that_keeps_writing():
    shared = SharedSnapshot.create(SIZE)
    context = multiprocessing.get_context("spawn")
    writer = context.Process(target=write_equal_numbers, args=(shared.name, WRITINGS))
    writer.start()
    last, different = 0, 0
    try:
        while last < WRITINGS:
            found = shared.read()
            if found is None:
                assert writer.is_alive() or shared.count == WRITINGS
                continue
            count, numbers = found
            assert (numbers == numbers[0]).all(), "torn"
            assert numbers[0] == count >= last
            different += count != last
            last = count
        writer.join(60)
        assert writer.exitcode == 0 and different > 3  # it read while the other wrote
    finally:
        shared.close()


def test_a_writing_that_is_not_complete_is_not_read(monkeypatch):
    monkeypatch.setattr(shared_snapshot, "TRIALS", 3)
    shared = SharedSnapshot.create(4)
    try:
        shared.write(np.arange(4.0))
        assert shared.read()[1].tolist() == [0, 1, 2, 3]
        shared._head[0] += np.uint64(1)  # in the middle of a writing
        assert shared.read() is None
        shared._head[0] += np.uint64(1)
        shared._body[2] = 9.0  # stores that arrive in another order
        assert shared.read() is None
        shared.write(np.ones(4))
        count, numbers = shared.read()
        assert count == 3 and (numbers == 1).all()
    finally:
        shared.close()


def test_the_memory_of_a_process_that_was_killed_is_removed():
    left = SharedSnapshot.create(4)
    name = left.name
    left.own = False  # as if its process had no time to remove it
    left.close()
    SharedSnapshot.remove(name)
    with pytest.raises(FileNotFoundError):
        SharedSnapshot.attach(name, 4)
    SharedSnapshot.remove(name)
    SharedSnapshot.remove("")
