"""Stop a process whose main thread cannot hear: Python answers no signal while it is in compiled code.

The system's own handler still writes a byte for every signal (`signal.set_wakeup_fd`), and kernels leave the
interpreter to other threads. So a small thread reads those bytes, gives the main thread time to stop in order, and ends
the process where that does not happen: an endless loop in somebody's policy would otherwise be deaf to Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress

#: seconds in which a process ends by itself after a signal
GRACE = 5.0
#: seconds in which a sweep notes that it shall stop; it then finishes what it plays, however long that takes
SWEEP_GRACE = 60.0
STOPPED = 130


def leave(line: str, status: int) -> None:
    """End the process at once with one line on stderr."""
    with suppress(OSError):
        os.write(2, f"sim: {' '.join(line.split())}\n".encode())
    os._exit(status)


def _waits(number: int, count: int) -> float:
    """Seconds to wait after the signal; a sweep answers the first with a flag, and by a second one somebody insists."""
    flag = getattr(signal.getsignal(number), "__self__", None)
    return SWEEP_GRACE if count == 1 and hasattr(flag, "asked") else GRACE


def _stopping(number: int) -> bool:
    """Whether whoever answers the signal has noted it and stops in order."""
    return bool(getattr(getattr(signal.getsignal(number), "__self__", None), "asked", False))


def _listen(pipe: int) -> None:
    count = 0
    while True:
        for number in os.read(pipe, 64):
            if number in (signal.SIGINT, signal.SIGTERM):
                count += 1
                threading.Thread(target=_wait, args=(number, count), daemon=True).start()


def _wait(number: int, count: int) -> None:
    seconds = _waits(number, count)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        if count == 1 and seconds == SWEEP_GRACE and (_stopping(number) or _waits(number, 1) != seconds):
            return  # heard: the sweep stops in order, or has done so
    leave(
        f"stopped: compiled code did not end within {seconds:.0f} s, a policy in an endless loop? an unfinished file "
        f"may be left behind; accepted: policies that pass sim check",
        STOPPED,
    )


def listen() -> None:
    """Begin to listen, from the main thread, once in a process."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(read,), daemon=True, name="signals").start()
