"""Handshakes of pool/: litmus tests whose orders come from the source."""

import dataclasses

from oracle import verdict
from program import failure_order
from sites import SiteError

_NO_LOCK = "no lock"


def weaker(kind, order):
    """The orders one step below, for an operation of that kind."""
    if order == "seq_cst":
        return [{"load": "acquire", "store": "release"}.get(kind, "acq_rel")]
    if order == "acq_rel":
        return ["acquire", "release"]
    return [] if order == "relaxed" else ["relaxed"]


def _order(operation, source):
    name = operation.site
    site = source.ordered.get(name) or source.relaxed.get(name)
    if site is None:
        raise SiteError(f"{name}: no such site in pool/")
    if operation.kind not in site.kinds:
        raise SiteError(f"{name}: a {operation.kind} in the handshake, "
                        f"{' and '.join(sorted(site.kinds))} in pool/")
    return site.order


def _thread(thread, source, changed):
    """Operations with their orders; those of a lock left out disappear."""
    result, left_out = [], []
    for op in thread:
        if op.kind == "lock" and op.site:
            if op.site not in source.locks:
                raise SiteError(f"{op.site}: no such lock in pool/")
            if changed.get(op.site) == _NO_LOCK:
                left_out.append(op.location)
                continue
        elif op.kind == "unlock" and op.location in left_out:
            left_out.remove(op.location)
            continue
        elif op.site:
            order = changed.get(op.site) or _order(op, source)
            op = dataclasses.replace(op, order=order,
                                     failure_order=failure_order(order))
        result.append(op)
    return result


def resolved(test, source, changed=None):
    """The test with the source's orders, some of them changed."""
    return dataclasses.replace(
        test, threads=[_thread(t, source, changed or {})
                       for t in test.threads])


def weakenings(test, source, only=None):
    """(site, weaker order) of each order and lock of a handshake."""
    found = []
    for op in test.operations():
        if op.kind == "lock" and op.site:
            found.append((op.site, _NO_LOCK))
        elif op.site in source.ordered:
            site = source.ordered[op.site]
            found += [(op.site, order)
                      for order in weaker(op.kind, site.order)]
    return [pair for pair in dict.fromkeys(found)
            if only is None or pair[0] in only]


def weakened_verdict(test, source, site, order):
    return verdict(resolved(test, source, {site: order}))


@dataclasses.dataclass
class Row:
    handshake: str
    site: str
    order: str
    verdict: str
    remark: str
    complaint: str = ""

    def cells(self):
        return (self.handshake, self.site, self.order, self.verdict,
                self.remark)


def _weakened_row(test, source, site, order):
    seen = weakened_verdict(test, source, site, order)
    spare = test.spare.get(site)
    row = Row(test.name, site, order, seen, f"spare: {spare}" if spare else "")
    bad = seen in ("allowed", "race")
    if not bad and spare is None:
        row.complaint = (f"{test.name}: {site} made {order}: {seen}, so the "
                         "order is not needed; weaken it or say why it is "
                         "spare")
    elif bad and spare is not None:
        row.complaint = f"{test.name}: {site} made {order}: {seen}, not spare"
    return row


def check(test, source):
    """The rows of one handshake: as it is, then each order weakened."""
    seen = verdict(resolved(test, source))
    first = Row(test.name, "as in pool/", "", seen, test.reason)
    if seen != test.expect:
        first.complaint = (f"{test.name}: {seen}, expected {test.expect}: "
                           f"{test.reason}")
    found = weakenings(test, source)
    for site in test.spare:
        if site not in dict(found):
            first.complaint = f"{test.name}: {site} is spare, but not there"
    return [first] + [_weakened_row(test, source, *pair) for pair in found]


def uncovered(file, source):
    """Complaints about sites of pool/ that no handshake needs."""
    tests = file.tests.values()
    needed = {site for t in tests for site in t.sites() if site not in t.spare}
    wrong = [f"{site}: through P::Order, but no handshake needs it"
             for site in source.ordered if site not in needed]
    others = sorted(source.relaxed) + sorted(source.locks)
    wrong += [f"{site}: in no handshake and not set apart"
              for site in others
              if site not in needed and site not in file.apart]
    wrong += [f"{site}: set apart, but in a handshake or not in pool/"
              for site in file.apart if site in needed or site not in others]
    return wrong
