"""Runs the checks of each mutant, cheapest first, until one turns red."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import checks
import process
from baseline import Baseline

FAST = ('quick', 'tests', 'stress')
DEEP_SECONDS = 30
SLOW_MODEL = 2  # seconds
HANG = 30  # seconds beyond ten times what a check takes; others run, too


class Progress:
    """One line per verdict on stderr, with the time left."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()
        self._lock = threading.Lock()

    def step(self, text):
        with self._lock:
            self.done += 1
            left = (time.monotonic() - self.start) / self.done * \
                (self.total - self.done)
            print(f'[{self.done}/{self.total}, {left / 60:.0f} min left] {text}',
                  file=sys.stderr, flush=True)


def say(text):
    print(f'mutants: {text}', file=sys.stderr, flush=True)


class Campaign:
    def __init__(self, tree, builds, verdicts, models, jobs,
                 tiers=checks.TIERS):
        self.tree, self.builds, self.verdicts = tree, builds, verdicts
        self.models, self.jobs, self.tiers = models, jobs, tiers
        self.place = builds.place
        (self.place / 'logs').mkdir(exist_ok=True)
        self.baseline = None
        self._checks = {}  # tier -> its checks
        self._lock = threading.Lock()

    def prepare(self, only=None):
        """Builds and runs what every mutant needs, without a mutant. `only`:
        names of checks; None: all."""
        wanted = [t for t in FAST if t in self.tiers]
        if 'quick' in wanted:
            self.builds.build('models', [f'model_{m}' for m in self.models])
        if set(wanted) & {'tests', 'stress'}:
            self.builds.build('test')
        self.baseline = Baseline(self.place, self.verdicts.current,
                                 self.tree.mutants)
        every = [c for t in wanted for c in self._of(t)
                 if only is None or c.name in only]
        progress = Progress(len(every))

        def one(check):
            self.baseline.ensure(check, self._log(plain(check.name)), 900)
            progress.step(f'without a mutant: {check.name}')
        self.all(one, every)

    def run(self, mutants, spared):
        """Verdicts for all; those in `spared` are not looked at deeply."""
        mutants = [m for m in mutants if not self._settled(m, spared)]
        progress = Progress(len(mutants))

        def one(mutant):
            record = self.judge(mutant, mutant.id in spared)
            self.verdicts.put(mutant, record)
            progress.step(f'{mutant.id} {describe(record)}: '
                          f'{mutant.printable()}')
        # A further weakening comes after the nearer ones.
        self.all(one, [m for m in mutants if not m.nearer])
        self.all(one, [m for m in mutants if m.nearer])

    def all(self, action, items):
        pool = ThreadPoolExecutor(self.jobs)
        try:
            for future in [pool.submit(action, item) for item in items]:
                future.result()
        except BaseException:
            process.stop_all()
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()

    def _tiers(self, mutant, spared):
        return [t for t in self.tiers if t in FAST or not spared]

    def _settled(self, mutant, spared):
        record = self.verdicts.get(mutant)
        if record is None:
            return False
        if record['verdict'] not in ('survived', 'not reached'):
            return True
        return set(self._tiers(mutant, mutant.id in spared)) <= \
            set(record.get('tiers', []))

    def judge(self, mutant, spared=False, watch=None):
        """One mutant's record. watch(check, found) hears of every check."""
        if mutant.id in self.builds.dropped:
            return {'verdict': 'does not compile'}
        for nearer in mutant.nearer:
            record = self.verdicts.get(nearer)
            if record and record['verdict'] in ('killed', 'implied'):
                return {'verdict': 'implied', 'by': nearer.id}
        suspicion = None
        old = self.verdicts.get(mutant) or {}
        done = old.get('tiers', [])
        reached = old.get('verdict') == 'survived'
        for check in self._order(mutant, spared, done):
            reached = True
            found = self.look(check, mutant)
            if watch:
                watch(check, found)
            # A search without an end proves little: another may show why.
            if found.what == 'endless' or \
                    found.what == 'hung' and check.is_model():
                suspicion = suspicion or (check, found)
            elif found.what:
                return killed(check, found)
        if suspicion:
            return killed(*suspicion)
        return {'verdict': 'survived' if reached else 'not reached',
                'tiers': sorted({*done, *self._tiers(mutant, spared)})}

    def look(self, check, mutant):
        if check.tier not in FAST:
            self.baseline.ensure(check, self._log(plain(check.name)), 3600)
        usual = self.baseline.seconds(check)
        limit = HANG + 10 * usual
        more = ()
        if check.tier == 'quick':
            more = ('--seconds', str(1 + usual))  # of its searches
        elif check.tier == 'deep':
            limit = 10 * DEEP_SECONDS + 2 * usual
        return checks.run(check, self._log(mutant.id), mutant.number,
                          seconds=limit, more=more)

    def _order(self, mutant, spared, done):
        """The checks that reach the mutant: its last killer, then by tier."""
        killer = self.verdicts.killer(mutant)
        first = [c for t in FAST if t in self.tiers for c in self._of(t)
                 if c.name == killer and self.baseline.reaches(c, mutant)]
        yield from first
        tiers = [t for t in self._tiers(mutant, spared) if t not in done]
        fast = [c for t in tiers if t in FAST for c in self._of(t)]
        for check in sorted(fast, key=self._cost):
            if check not in first and self.baseline.reaches(check, mutant):
                yield check
        for tier in tiers:
            if tier in FAST:
                continue
            for check in sorted(self._of(tier), key=self.baseline.seconds):
                if self.baseline.reaches(check, mutant):
                    yield check

    def _cost(self, check):
        """Models before tests, but for the few that take longer than these."""
        seconds = self.baseline.seconds(check)
        slow = check.tier == 'quick' and seconds > SLOW_MODEL
        rank = {'quick': 2 if slow else 0, 'tests': 1, 'stress': 3}
        return rank[check.tier], seconds

    def named(self, name):
        for tier in self.tiers:
            for check in self._of(tier):
                if check.name == name:
                    return check
        raise SystemExit(f'error: there is no check "{name}" any more; run '
                         'make mutants')

    def _of(self, tier):
        with self._lock:
            if tier not in self._checks:
                self._checks[tier] = list(self._find(tier))
            return self._checks[tier]

    def _find(self, tier):
        if tier == 'quick':
            return checks.models(self.builds.folder('models'), self.models,
                                 'quick')
        if tier == 'deep':
            return checks.models(self.builds.folder('models'), self.models,
                                 'standard', '--seconds', str(DEEP_SECONDS))
        kind = 'test' if tier in ('tests', 'stress') else tier
        if kind != 'test':
            self.builds.build(kind)
        return [c for c in checks.tests(self.builds.folder(kind), kind)
                if c.tier == tier]

    def _log(self, name):
        return self.place / 'logs' / f'{name}.log'


def plain(name):
    return ''.join(c if c.isalnum() else '-' for c in name)


def killed(check, found):
    kind = 'time-out' if found.what in ('hung', 'endless') else \
        'model' if check.is_model() else 'test'
    return {'verdict': 'killed', 'kind': kind, 'by': check.name,
            'found': found.what, 'detail': found.detail,
            'executions': found.executions, 'search': found.search,
            'seconds': round(found.seconds, 2)}


def describe(record):
    if record['verdict'] != 'killed':
        return record['verdict']
    after = f' after {record["executions"]} executions' \
        if record['executions'] else ''
    return f'killed by {record["by"]}{after} ({record["found"]}: ' \
           f'{record["detail"]})'
