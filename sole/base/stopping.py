"""Ctrl-C, SIGTERM and a closed terminal: how a process ends in order.

`sole` handles all three from its entry point on (`answer_signals`). The first signal raises
`KeyboardInterrupt` or `Terminated`; `with` and `finally` then remove what is half made. Foreign
code may turn that error into another, or swallow it. So the exit code follows from the signal, not
from the error that arrives, and a signal that had no effect is repeated.

A simulation stops between two steps (`stoppable`), planning stops anywhere (`interruptible`): an
interrupt inside compiled code surfaces as a SystemError, or not at all.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

__all__ = [
    "INTERRUPTED",
    "SIGNALS",
    "TERMINATED",
    "Terminated",
    "acknowledge",
    "answer_signals",
    "count_signal",
    "deaf_children",
    "describe_end",
    "end_with",
    "exit_code",
    "ignore_signals",
    "interruptible",
    "raise_if_stopped",
    "stoppable",
    "stopped",
    "undisturbed",
]

INTERRUPTED, TERMINATED = 130, 143  # exit codes after Ctrl-C, and after SIGTERM or a hang-up
SOON = 0.02  # s between two attempts to raise the error of a signal
HANGUP = 0.2  # s from the errors of a lost terminal to its signal
AGAIN = 4.0  # s after which a signal that was swallowed is repeated; the longest clean-up takes 2
NEVER_FAIL = "llvmlite.", "numba.core.serialize"  # modules whose calls no signal breaks off
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminated(KeyboardInterrupt):
    """SIGTERM, or the end of the terminal, asked the process to end."""


def describe_end(error: BaseException) -> str:
    """Return the text for a run's header that says why it ended."""
    if isinstance(error, KeyboardInterrupt):
        return "terminated" if isinstance(error, Terminated) else "interrupted"
    return f"error: {error}"


def exit_code(error: KeyboardInterrupt) -> int:
    """Return the exit code of a command that a signal ended."""
    return TERMINATED if isinstance(error, Terminated) else INTERRUPTED


def acknowledge(text: str) -> None:
    """Say at once that a signal has come, past any buffer: a handler must not wait for a lock."""
    with contextlib.suppress(OSError):
        os.write(2, f"{chr(10) * os.isatty(2)}{text}\n".encode())


_received: list[int] = []  # signals that are ending this process
_answering: list[bool] = []  # whether `answer_signals` was called
_undisturbed: list[bool] = []  # whether a clean-up is under way


def stopped() -> KeyboardInterrupt | None:
    """Return the error of the signal that is ending this process; None if there was none."""
    _await_hangup()
    return _stop(_received) if _received else None


def count_signal(number: int) -> None:
    """Note that a signal which the caller handles itself is ending this process.

    If an error comes up later, as from writing to a terminal that has gone, the signal decides.
    """
    _received.extend([number] * len(_answering))


def raise_if_stopped() -> None:
    """Raise the error of the signal that is ending this process, if there was one.

    Call it where an `except Exception` keeps errors: the error may be what foreign code made of
    the signal.
    """
    if (error := stopped()) is not None:
        raise error


def answer_signals() -> None:
    """End this process in order after Ctrl-C, SIGTERM or the end of its terminal.

    The first signal raises `KeyboardInterrupt` or `Terminated` after a word on stderr, and again
    if the process has not ended `AGAIN` seconds later; the second signal does so at once. Both
    wait for the end of an import, and of calls of llvmlite and numba that must not break off. The
    third ends the process on the spot. No traceback is printed. A terminal that closes may send
    several signals: they count as one. A signal that the parent process made us ignore stays
    ignored (`nohup`).
    """
    _answering.append(True)
    atexit.register(_ignore_all)  # the first to be registered is the last to be called
    signal.signal(signal.SIGALRM, _repeat)
    for number in _not_ignored():
        signal.signal(number, _note)
    raised, unraised = sys.excepthook, sys.unraisablehook

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            raised(kind, error, trace)

    sys.excepthook = show
    sys.unraisablehook = lambda seen: None if _received else unraised(seen)


def ignore_signals() -> None:
    """Let this process end by itself from now on: nothing is left to stop.

    The third signal ends it on the spot.
    """
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        if len(asked) > 2:
            os._exit(exit_code(_stop(asked)))  # as in `_note`

    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for number in _not_ignored():
        signal.signal(number, note)


def _ignore_all() -> None:
    """Let nothing break off the interpreter's own end, in which Python answers no signals."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def end_with(parent: int) -> None:
    """End this process within a second after process `parent` has, even if that was killed."""

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)  # nobody waits for a result, and nobody reads a traceback

    threading.Thread(target=look, name="parent's end", daemon=True).start()


def _note(number: int, frame: FrameType | None) -> None:
    """Answer a signal of this process."""
    if number == signal.SIGHUP and _received:
        return  # a terminal that closes may send several
    _received.append(number)
    if len(_received) == 1:
        acknowledge("stopping")
    if len(_received) > 2:
        # Not an error: what swallowed the first two would swallow it, and Python's end may wait.
        os._exit(exit_code(_stop(_received)))
    _repeat(number, frame)


def _repeat(number: int, frame: FrameType | None) -> None:
    """Raise the error of the signal, and again if foreign code swallows it, where that is safe.

    An extension module whose import breaks off may end the process by a segmentation fault (VTK).
    Machine code of which llvmlite has noted half that it has a new owner is freed twice. numba does
    not look whether `numba.core.serialize`, which its machine code calls, has failed.
    """
    if _undisturbed or _unbreakable(frame):
        signal.setitimer(signal.ITIMER_REAL, SOON)
        return
    signal.setitimer(signal.ITIMER_REAL, AGAIN)
    raise_if_stopped()


def _unbreakable(frame: FrameType | None) -> bool:
    """Whether an import is under way, or a call that must not fail: see `_repeat`."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        if str(frame.f_globals.get("__name__")).startswith(NEVER_FAIL):
            return True
        frame = frame.f_back
    return False


def _await_hangup() -> None:
    """If the terminal has just gone, wait for its signal, which follows the errors of writing."""
    if _received or not _answering:
        return
    try:
        os.write(2, b"")
    except OSError as error:
        if error.errno == errno.EIO:
            time.sleep(HANGUP)


def _not_ignored() -> list[signal.Signals]:
    """Return the signals to answer: Ctrl-C always, others unless the parent made us ignore them."""
    return [n for n in SIGNALS if n == signal.SIGINT or signal.getsignal(n) != signal.SIG_IGN]


@contextmanager
def stoppable() -> Iterator[Callable[[], None]]:
    """Yield a function that raises after Ctrl-C (`KeyboardInterrupt`) or SIGTERM (`Terminated`).

    The end of the terminal counts as SIGTERM.

    Call it between two steps: compiled code would lose an error raised by the signal itself, or
    turn it into another. A second signal raises at once.
    """
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP and asked:
            return
        asked.append(number)
        count_signal(number)
        if len(asked) > 1 and not _unbreakable(frame):
            raise _stop(asked)
        acknowledge("stopping after this step; what there is will be measured and kept")

    def check() -> None:
        if asked:
            raise _stop(asked)

    with _handling(note):
        try:
            yield check
        except Exception as error:
            if len(asked) > 1:  # the error into which compiled code turned the second signal
                raise _stop(asked) from error
            raise


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end a block at once, and only by their own errors.

    Use it for work without partial results, such as planning. If compiled code swallows the
    signal, the end of the block raises `KeyboardInterrupt` or `Terminated`.
    """
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        if not _answering:
            raise _stop(asked)
        _note(number, frame)

    with _handling(note):
        try:
            yield
        except Exception as error:
            if asked:
                raise _stop(asked) from error
            raise
        if asked:
            raise _stop(asked)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let a clean-up of some seconds finish: signals wait for its end, but the third does not."""
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP and (_received or asked):
            return
        asked.append(number)
        count_signal(number)
        if len(_received or asked) == 1:
            acknowledge("stopping")
        if len(_received or asked) > 2:
            os._exit(exit_code(_stop(asked)))  # as in `_note`

    with _handling(note), _waiting():
        yield
    if asked:
        raise _stop(asked)


@contextmanager
def _waiting() -> Iterator[None]:
    """Keep `_repeat` from raising."""
    _undisturbed.append(True)
    try:
        yield
    finally:
        _undisturbed.pop()


@contextmanager
def deaf_children() -> Iterator[None]:
    """Let processes that are started in the block, and by threads that are, not hear Ctrl-C.

    A terminal sends Ctrl-C and its own end to all of its processes. This one stops the others.
    Python handles a signal in the main thread whichever thread it reaches.
    """
    from multiprocessing import resource_tracker

    group = {signal.SIGINT, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, group)
    resource_tracker.ensure_running()  # it must outlive the others; its start unblocks SIGINT
    signal.pthread_sigmask(signal.SIG_BLOCK, group)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(asked: list[int]) -> KeyboardInterrupt:
    return KeyboardInterrupt() if asked[0] == signal.SIGINT else Terminated()


@contextmanager
def _handling(note: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle the signals by `note`; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, note) for number in _not_ignored()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
