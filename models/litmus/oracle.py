"""What C++20 allows a litmus test to do, by enumeration.

A candidate execution chooses which compare-exchanges succeed, a modification
order (mo) of every location, what every read reads from (rf), and the order of
each mutex's critical sections. It is consistent if it has no cycle of the kind
the standard excludes; paragraph numbers are those of C++20 (N4861). Names of
relations follow Batty et al., POPL 2011, and Lahav et al., PLDI 2017:

    sb   sequenced before               rf   reads from
    mo   modification order             fr   from-read: a read, what overwrites
    rs   release sequence               sw   synchronizes with
    hb   happens before                 eco  coherence-ordered before
    S    the order of seq_cst operations

Not modelled: consume; values that depend on other reads, so neither
out-of-thin-air values nor dependencies; spurious failure of a compare-exchange,
which is a load with the failure order.
"""

import dataclasses
import itertools

from program import READ_MODIFY_WRITES

_RELEASE = ("release", "acq_rel", "seq_cst")
_ACQUIRE = ("acquire", "acq_rel", "seq_cst")


class Relation:
    """A relation on events 0..n-1: one bit mask of successors per event."""

    def __init__(self, size, pairs=()):
        self.rows = [0] * size
        for a, b in pairs:
            self.rows[a] |= 1 << b

    def __contains__(self, pair):
        return bool(self.rows[pair[0]] >> pair[1] & 1)

    def __or__(self, other):
        result = Relation(len(self.rows))
        result.rows = [a | b for a, b in zip(self.rows, other.rows)]
        return result

    def pairs(self):
        size = range(len(self.rows))
        return [(a, b) for a in size for b in size if (a, b) in self]

    def then(self, other):
        """Composition: a to c if some b has a self b and b other c."""
        result = Relation(len(self.rows))
        for a, row in enumerate(self.rows):
            for b, mask in enumerate(other.rows):
                if row >> b & 1:
                    result.rows[a] |= mask
        return result

    def closure(self):
        """The transitive closure."""
        result = Relation(len(self.rows))
        rows = result.rows = list(self.rows)
        for b in range(len(rows)):
            for a in range(len(rows)):
                if rows[a] >> b & 1:
                    rows[a] |= rows[b]
        return result

    def irreflexive(self):
        return not any(row >> a & 1 for a, row in enumerate(self.rows))

    def disjoint_from_inverse_of(self, other):
        """No a, b with a self b and b other a."""
        return self.then(other).irreflexive()


@dataclasses.dataclass(eq=False)
class Event:
    index: int
    thread: int  # -1: the initial value of a location
    operation: object
    order: str
    reads: bool = False
    writes: bool = False

    @property
    def location(self):
        return self.operation.location

    @property
    def fence(self):
        return self.operation.kind == "fence"

    @property
    def sc(self):
        return self.order == "seq_cst"

    def releases(self):
        return self.order in _RELEASE and (self.writes or self.fence)

    def acquires(self):
        return self.order in _ACQUIRE and (self.reads or self.fence)

    def written(self, before):
        """The value after a modification of a location that held `before`."""
        kind, value = self.operation.kind, self.operation.value
        if kind == "add":
            return before + value
        if kind == "or":
            return before | value
        if kind == "and":
            return before & value
        return value


@dataclasses.dataclass
class _Initial:
    location: str
    value: int
    kind: str = "store"
    plain: bool = False
    register: str = ""


class Execution:
    """One candidate: events, and the choices made for them."""

    def __init__(self, events, mo, rf, sections):
        self.events = events
        self.mo = mo  # location: its modifications, oldest first
        self.rf = rf  # read: the modification it takes its value from
        self.sections = sections  # mutex: (lock, unlock) pairs in their order
        self.size = len(events)
        self.values = self._values()

    def relation(self, pairs):
        return Relation(self.size, ((a.index, b.index) for a, b in pairs))

    def _values(self):
        """Value of every modification; every RMW reads its predecessor."""
        values = {}
        for order in self.mo.values():
            before = 0
            for event in order:
                before = values[event] = event.written(before)
        return values

    def outcome(self):
        """Registers, and the last values of locations."""
        found = {r.operation.register: self.values[w]
                 for r, w in self.rf.items() if r.operation.register}
        for location, order in self.mo.items():
            found[location] = self.values[order[-1]]
        return found

    def cas_outcomes_fit(self):
        """A compare-exchange writes if and only if it read what it expects."""
        return all((self.values[w] == r.operation.expected) == r.writes
                   for r, w in self.rf.items() if r.operation.kind == "cas")

    def sb(self):
        """[intro.execution]/8; initial values come before every thread."""
        return self.relation(
            (a, b) for a in self.events for b in self.events
            if (a.thread == b.thread and a.thread >= 0 and a.index < b.index)
            or (a.thread < 0 <= b.thread))

    def eco(self):
        """Coherence-ordered before, [atomics.order]/3: rf, mo, fr, closed."""
        pairs = [(w, r) for r, w in self.rf.items()]
        for order in self.mo.values():
            pairs += itertools.combinations(order, 2)
        pairs += [(r, later) for r, w in self.rf.items()
                  for later in self._after(w) if later is not r]
        return self.relation(pairs).closure()

    def _after(self, write):
        order = self.mo[write.location]
        return order[order.index(write) + 1:]

    def release_sequence(self, head):
        """[intro.races]/5: the head and the RMWs that directly follow it in
        mo. C++11 counted later stores of the head's thread as well."""
        sequence = [head]
        for event in self._after(head):
            if not event.reads:
                break
            sequence.append(event)
        return sequence

    def _release_ends(self, write, sb):
        """The write itself, or fences before it: [atomics.fences]/2-4."""
        ends = [write] if write.releases() else []
        return ends + [f for f in self.events if f.fence and f.releases()
                       and (f.index, write.index) in sb]

    def _acquire_ends(self, read, sb):
        ends = [read] if read.acquires() else []
        return ends + [f for f in self.events if f.fence and f.acquires()
                       and (read.index, f.index) in sb]

    def sw(self, sb):
        """[atomics.order]/2, [atomics.fences]/2-4, and of a mutex, each unlock
        with the next lock, [thread.mutex.requirements.mutex]."""
        pairs = []
        for head in (e for e in self.events if e.writes and e.order):
            ends = self._release_ends(head, sb)
            sequence = self.release_sequence(head) if ends else []
            for read, source in self.rf.items():
                if source in sequence and read.order:
                    pairs += itertools.product(ends,
                                               self._acquire_ends(read, sb))
        for sections in self.sections.values():
            pairs += [(a[1], b[0]) for a, b in itertools.pairwise(sections)]
        return self.relation((a, b) for a, b in pairs if a.thread != b.thread)

    def strongly_hb(self, sb, sw, hb):
        """[intro.races]/12, without consume."""
        between_sc = Relation(self.size, (
            (a, b) for a, b in sw.pairs()
            if self.events[a].sc and self.events[b].sc))
        return (sb | between_sc | sb.then(hb).then(sb)).closure()

    def s_edges(self, strongly_hb, hb, eco):
        """What S must contain, [atomics.order]/4."""
        sc = [e.index for e in self.events if e.sc]
        fences = [i for i in sc if self.events[i].fence]
        edges = [(a, b) for a in sc for b in sc if (a, b) in strongly_hb]
        for a, b in eco.pairs():
            first = [f for f in fences if (f, a) in hb] + [a] * (a in sc)
            last = [f for f in fences if (b, f) in hb] + [b] * (b in sc)
            edges += itertools.product(first, last)  # 4.1 to 4.4
        return Relation(self.size, edges)

    def check(self):
        """Returns (consistent, racy)."""
        sb = self.sb()
        sw = self.sw(sb)
        hb = (sb | sw).closure()
        if not hb.irreflexive():
            return False, False
        eco = self.eco()
        # The four coherence rules, [intro.races]/15-18, and atomicity of RMWs,
        # [atomics.order]/10, which the choice of rf has seen to.
        if not eco.irreflexive() or not hb.disjoint_from_inverse_of(eco):
            return False, False
        order = self.s_edges(self.strongly_hb(sb, sw, hb), hb, eco)
        if not order.closure().irreflexive():
            return False, False
        return True, self._races(hb)

    def _races(self, hb):
        """[intro.races]/21, for plain data."""
        plain = [e for e in self.events
                 if e.thread >= 0 and e.operation.plain]
        return any(
            a.location == b.location and (a.writes or b.writes)
            and a.thread != b.thread
            and (a.index, b.index) not in hb and (b.index, a.index) not in hb
            for a, b in itertools.combinations(plain, 2))


def _events(test, cas_succeeds):
    """The events of all threads; a compare-exchange succeeds as chosen."""
    events = []
    for location in test.locations():
        operation = _Initial(location, test.init.get(location, 0))
        events.append(Event(len(events), -1, operation, "", writes=True))
    choices = iter(cas_succeeds)
    for number, thread in enumerate(test.threads):
        for operation in thread:
            if operation.kind in ("when", "pause"):
                continue
            event = Event(len(events), number, operation, "")
            if operation.kind not in ("lock", "unlock"):
                event.order = operation.order
            kind = operation.kind
            event.reads = kind in ("load", "read", "cas") + READ_MODIFY_WRITES
            event.writes = kind in ("store", "write") + READ_MODIFY_WRITES
            if kind == "cas":
                event.writes = next(choices)
                if not event.writes:
                    event.order = operation.failure_order
            events.append(event)
    return events


def _keeps_program_order(events):
    return all(a.thread != b.thread or a.index < b.index
               for a, b in itertools.combinations(events, 2))


def _orders(events):
    return [list(order) for order in itertools.permutations(events)
            if _keeps_program_order(order)]


def _modification_orders(test, events):
    for chosen in itertools.product(*(
            _orders([e for e in events if e.writes and e.location == location
                     and e.thread >= 0]) for location in test.locations())):
        yield {location: [e for e in events if e.thread < 0
                          and e.location == location] + order
               for location, order in zip(test.locations(), chosen)}


def _section_orders(events):
    """Every order of each mutex's critical sections."""
    sections, opened = {}, {}
    for event in events:
        if event.operation.kind == "lock":
            opened[event.thread, event.location] = event
        elif event.operation.kind == "unlock":
            lock = opened.pop((event.thread, event.location))
            sections.setdefault(event.location, []).append((lock, event))
    mutexes = sorted(sections)
    for chosen in itertools.product(
            *(itertools.permutations(sections[m]) for m in mutexes)):
        yield dict(zip(mutexes, chosen))


def _sources(event, mo):
    """What a read may read from: any modification, but for a RMW only its
    predecessor in mo, [atomics.order]/10."""
    order = mo[event.location]
    return [order[order.index(event) - 1]] if event.writes else order


def executions(test):
    """All candidates whose values fit; consistency is still to be checked."""
    number = sum(op.kind == "cas" for op in test.operations())
    for cas_succeeds in itertools.product((True, False), repeat=number):
        events = _events(test, cas_succeeds)
        reads = [e for e in events if e.reads]
        for mo in _modification_orders(test, events):
            for sources in itertools.product(*(_sources(r, mo)
                                               for r in reads)):
                rf = dict(zip(reads, sources))
                first = Execution(events, mo, rf, {})
                if not first.cas_outcomes_fit():
                    continue
                for sections in _section_orders(events):
                    first.sections = sections
                    yield first


def verdict(test):
    """"race" if an execution that gets past every `when` has one, else
    "allowed" if one has the outcome asked for, else "forbidden"; but
    "unreachable" if none gets past every `when`: then nothing was asked."""
    taken = [c for op in test.operations() for c in op.conditions]
    plain = any(op.plain for op in test.operations())
    seen = "unreachable"
    for execution in executions(test):
        outcome = execution.outcome()
        if not all(c.holds(outcome) for c in taken):
            continue
        asked = not test.asks_race and all(c.holds(outcome) for c in test.ask)
        if seen != "unreachable" and not plain and not asked:
            continue
        consistent, racy = execution.check()
        if consistent and racy:
            return "race"
        if consistent and asked:
            seen = "allowed"
        elif consistent and seen == "unreachable":
            seen = "forbidden"
    return seen
