"""What pages send to `sole live`: refused in words, bounded, and waiting while nobody takes it."""

from __future__ import annotations

import json

import pytest

from robot.live import message_queue
from robot.live.message_queue import MessageQueue
from robot.live.page_messages import LONGEST, read_message, read_number, read_vector
from sole.base.errors import SoleError


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "not a JSON object"),
        ("[1, 2", "not a JSON object"),
        ("[]", "not a JSON object"),
        (b"\xff\xfe\xfa", "not a JSON object"),
        ("[" * LONGEST, "not a JSON object"),
        ("9" * (LONGEST - 1), "not a JSON object"),
        ("x" * (LONGEST + 1), f"at most {LONGEST} characters, got {LONGEST + 1}"),
        (json.dumps({"do": "set", "ground": "g" * 201}), "'ground' must be .* 200 characters"),
        (json.dumps({"do": "move", "target": [0] * 9}), "list of at most 8"),
        (json.dumps({"do": "move", "target": [[0]]}), "'target' must be a number"),
        (json.dumps({"do": {"a": 1}}), "'do' must be"),
        (json.dumps({"x" * 500: {}}), r"\(502 characters\) must be"),
    ],
)
def test_a_message_is_short_and_flat(text, said):
    with pytest.raises(SoleError, match=said) as caught:
        read_message(text)
    assert len(str(caught.value)) < 300


def test_a_good_message_is_read():
    message = {"do": "grab", "point": [0, 1.5, -2], "on": True, "none": None}
    assert read_message(json.dumps(message)) == message


@pytest.mark.parametrize(
    "value", [10**310, -(10**310), float("nan"), float("inf"), "1", None, True, [1], 2, -1.5]
)
def test_a_number_is_finite_and_in_range(value):
    with pytest.raises(SoleError, match="x must be") as caught:
        read_number({"x": value}, "x", -1.0, 1.0)
    assert len(str(caught.value)) < 120
    with pytest.raises(SoleError, match="v must be"):
        read_vector({"v": [0, 0, 10**310]}, "v")
    assert read_number({"x": 1}, "x", -1.0, 1.0) == 1.0


def test_one_message_is_under_way_and_the_newest_of_a_kind_waits():
    written = []
    queue = MessageQueue(written.append)
    for k in range(100):
        assert queue.put({"do": "move", "x": k}) == ""
    assert written == [{"do": "move", "x": 0}]
    queue.put({"do": "push"})
    queue.put({"do": "push"})  # each of them counts
    queue.put({"do": "move", "y": 1})
    queue.put({"do": "move", "x": 1})
    for _ in range(9):
        queue.taken()
    assert written[1:] == [
        {"do": "move", "x": 99},
        *2 * [{"do": "push"}],
        {"do": "move", "y": 1},
        {"do": "move", "x": 1},
    ]
    queue.put({"do": "step"})
    assert written[-1] == {"do": "step"}


def test_more_messages_than_the_simulator_takes_are_refused_in_words():
    written = []
    queue = MessageQueue(written.append)
    refused = [queue.put({"do": "push", "stamp": k}) for k in range(message_queue.MOST + 3)]
    assert refused[:-2] == [""] * (message_queue.MOST + 1)
    assert all("the simulator is busy" in said for said in refused[-2:])
    assert queue.put({"do": "let go"}) == ""  # a page that closes is never refused
    while queue.waiting:
        queue.taken()
    assert written[-1] == {"do": "let go"} and len(written) == message_queue.MOST + 2
