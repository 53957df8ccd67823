"""Runs a program with limits, in a process group that ends with it."""

import os
import resource
import signal
import subprocess
import threading
import time
from dataclasses import dataclass

_live = set()
_lock = threading.Lock()
_stopping = threading.Event()


class Interrupted(Exception):
    """Somebody asked to stop; whatever ran has been ended."""


@dataclass
class Ended:
    status: int  # negative: the signal
    output: str  # both streams, the last part
    seconds: float
    timed_out: bool


def stop_all():
    """Ends every group that run() has started, for good."""
    _stopping.set()
    with _lock:
        for group in _live:
            _kill(group)


def run(argv, log, *, env=None, seconds=None, memory=None, directory=None):
    """Output goes to the file `log`. `memory`: bytes of address space."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    start = time.monotonic()
    with open(log, 'wb') as file:
        with _lock:
            if _stopping.is_set():
                raise Interrupted
            child = subprocess.Popen(
                argv, stdout=file, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, cwd=directory, preexec_fn=limit,
                env={**os.environ, **(env or {})}, start_new_session=True)
            _live.add(child.pid)
        timed_out = False
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            with _lock:
                _kill(child.pid)  # also what the child has left behind
                _live.discard(child.pid)
        if timed_out:
            status = child.wait()
    if _stopping.is_set():
        raise Interrupted
    return Ended(status, _tail(log), time.monotonic() - start, timed_out)


def _kill(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _tail(path, most=20000):
    with open(path, 'rb') as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - most))
        return file.read().decode(errors='replace')
