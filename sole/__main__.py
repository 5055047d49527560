"""The process of the `sole` command, also as `python -m sole`: signals are handled first."""

from __future__ import annotations

import signal

__all__ = ["start"]


def start() -> None:
    """Run the command line as a process of its own.

    Ctrl-C, SIGTERM and a closed terminal end it in order from here on; see
    `sole.base.stopping.answer_signals`.
    """
    # They wait while the module that answers them is imported.
    group = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, group)
    from sole.base.stopping import answer_signals, exit_code, ignore_signals

    answer_signals()
    code: object = 130
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        from sole.base.numba_settings import set_up_numba

        set_up_numba()
        from sole.base.cli import main  # takes a while: a signal must not find Python's own answer

        main()
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt as error:  # one before `main`, or a second one
        code = exit_code(error)
    ignore_signals()  # nothing is left to stop
    raise SystemExit(code)


if __name__ == "__main__":
    start()
