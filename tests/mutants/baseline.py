"""What each check does without a mutant: it passes, takes so long, and reaches
those mutants."""

import threading

import checks
from verdicts import read_json, write_json

REACHED_BYTES = 1 << 16  # kMost in mutant.h


class BaselineError(Exception):
    """A check fails although nothing is planted."""


class Baseline:
    """check name -> seconds and, for the first tiers, the ids it reaches."""

    def __init__(self, place, current, mutants):
        self.place = place
        self.path = place / 'baseline.json'
        self.numbers = {m.number: m.id for m in mutants}
        stored = read_json(self.path, {})
        self._records = stored.get('checks', {}) \
            if stored.get('of') == current else {}
        self._current = current
        self._lock = threading.Lock()
        self._one = {}  # check name -> its own lock
        self._reached = {}

    def ensure(self, check, log, seconds):
        """Runs the check unless that has been done."""
        with self._lock:
            one = self._one.setdefault(check.name, threading.Lock())
        with one:
            if check.name in self._records:
                return
            record = self._run(check, log, seconds)
            with self._lock:
                self._records[check.name] = record
                write_json(self.path, {'of': self._current,
                                       'checks': self._records})

    def _run(self, check, log, seconds):
        marks = None
        if check.reached_as == check.name:
            marks = self.place / f'{log.name}.reached'
            marks.write_bytes(bytes(REACHED_BYTES))
        found = checks.run(check, log, seconds=seconds, reached=marks)
        if found.what:
            raise BaselineError(
                f'{check.name} fails without a mutant ({found.what}: '
                f'{found.detail}); its output: {log}')
        reached = [] if marks is None else [
            self.numbers[n] for n, mark in enumerate(marks.read_bytes())
            if mark and n in self.numbers]
        return {'seconds': round(found.seconds, 2), 'reached': reached}

    def seconds(self, check):
        record = self._records.get(check.name) or \
            self._records[check.reached_as]
        return record['seconds']

    def reaches(self, check, mutant):
        name = check.reached_as
        if name not in self._reached:
            self._reached[name] = frozenset(self._records[name]['reached'])
        return mutant.id in self._reached[name]
