"""No two processes lower the same functions, and whoever can work does."""

from __future__ import annotations

import threading

from sole.base.compiled.compile_queue import Queue
from sole.base.compiled.listed import Listed


def entry(name):
    return Listed(f"some.module:{name}", ["float64"], 1.0, ("walk",))


NEEDS = {
    "step": {"step": 100, "solve": 300, "open": 20, "move": 80},
    "begin": {"begin": 50, "open": 20, "move": 80},  # two thirds are the step's
    "record": {"record": 200, "open": 20},
    "other": {"other": 10},
}


def queue_of(monkeypatch, *names):
    monkeypatch.setattr(Listed, "calls", lambda one: NEEDS[one.kernel.partition(":")[2]])
    return Queue([entry(name) for name in names])


def name(one):
    return None if one is None else one.kernel.partition(":")[2]


def test_what_another_one_lowers_waits(monkeypatch):
    queue = queue_of(monkeypatch, "step", "begin", "record")
    step, second = queue.take(), queue.take()
    assert (name(step), name(second)) == ("step", "record")
    queue.finish(step)
    assert name(queue.take()) == "begin"


def test_whoever_waits_goes_on_when_something_is_done(monkeypatch):
    queue, taken = queue_of(monkeypatch, "step", "begin"), []
    step = queue.take()
    waiting = threading.Thread(target=lambda: taken.append(name(queue.take())), daemon=True)
    waiting.start()
    waiting.join(0.2)
    assert taken == [] and waiting.is_alive()
    queue.finish(step)
    waiting.join(30)
    assert taken == ["begin"] and queue.take() is None


def test_one_process_takes_all_in_their_order(monkeypatch):
    queue, found = queue_of(monkeypatch, "begin", "step", "other", "record"), []
    while (one := queue.take()) is not None:
        found.append(name(one))
        queue.finish(one)
    assert found == ["begin", "step", "other", "record"]


def test_what_is_out_of_date_needs_nothing_and_is_taken():
    gone = Listed("sole.nowhere:nothing", ["float64"], 1.0, ("walk",))
    assert gone.calls() == {}
    queue = Queue([gone, gone])
    assert queue.take() is gone and queue.take() is gone and queue.take() is None


def test_functions_of_a_kernel_are_those_that_it_calls():
    one = Listed("contact.step.stuck_arrays:wrenches_in", ["array float64 1 C", "int64"], 1.0, ())
    named = {function.__name__ for function in one.calls()}
    assert "wrenches_in" in named
    walk = Listed("robot.walk.block_kernels:walk_block", [], 1.0, ())
    names = {function.__name__ for function in walk.calls()}
    assert {"walk_block", "begin_step", "move_links", "step_swept_soles"} <= names
    assert all(size > 0 for size in walk.calls().values())
