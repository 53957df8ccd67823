"""The ordering sites of pool/, read from its source text.

A site stronger than relaxed is `P::Order(kName, P::order)`; if a name occurs
more than once, its occurrences are kName.1, kName.2 in the order of the source.
A relaxed one is named by the comment at the end of its line. A lock is named by
header and member function, as in condvar_wait:Notify.
"""

import dataclasses
import re

_OPERATION = re.compile(
    r"(?:\.|->)(load|store|exchange|fetch_\w+|compare_exchange_\w+)\("
    r"|P::(Fence)\(")
_ORDER = re.compile(r"P::Order\(\s*(k\w+),\s*P::(\w+)\s*\)")
_RELAXED = re.compile(r"P::relaxed\b[^\n]*// ([A-Z]\d+)")
_LOCK = re.compile(r"typename P::Lock \w+\(\w+\)")
_MEMBER = re.compile(r"^  [\w~:].*?(~?\w+)\(", re.MULTILINE)
_KINDS = {"fetch_add": "add", "fetch_sub": "add", "fetch_or": "or",
          "fetch_and": "and", "compare_exchange_weak": "cas",
          "compare_exchange_strong": "cas", "Fence": "fence"}


class SiteError(Exception):
    """The source and a handshake do not fit together."""


@dataclasses.dataclass
class Site:
    order: str
    kinds: set  # of operation, as litmus tests name them


@dataclasses.dataclass
class Source:
    ordered: dict  # name with occurrence: Site
    relaxed: dict
    locks: set

    def named(self, name):
        """The site or sites of a name, with or without an occurrence."""
        return [full for full in list(self.ordered) + sorted(self.locks)
                if full == name or full.rpartition(".")[0] == name]


def _without_comment_lines(text):
    return "\n".join("" if line.lstrip().startswith("//") else line
                     for line in text.splitlines())


def _kind(text, end, name):
    found = list(_OPERATION.finditer(text, 0, end))
    if not found:
        raise SiteError(f"{name}: no operation before its order")
    word = found[-1].group(1) or found[-1].group(2)
    return _KINDS.get(word, word)


def _locks(stem, text):
    for lock in _LOCK.finditer(text):
        members = list(_MEMBER.finditer(text, 0, lock.start()))
        if members:
            yield f"{stem}:{members[-1].group(1)}"


def parse(texts):
    """texts: contents by header stem."""
    ordered, relaxed, locks = {}, {}, set()
    for stem, text in sorted(texts.items()):
        text = _without_comment_lines(text)
        for match in _ORDER.finditer(text):
            name, order = match.groups()
            site = Site(order, {_kind(text, match.start(), name)})
            ordered.setdefault(name, []).append(site)
        for match in _RELAXED.finditer(text):
            name = match.group(1)
            site = relaxed.setdefault(name, Site("relaxed", set()))
            site.kinds.add(_kind(text, match.start(), name))
        locks.update(_locks(stem, text))
    numbered = {}
    for name, found in ordered.items():
        for number, site in enumerate(found, 1):
            full = f"{name}.{number}" if len(found) > 1 else name
            numbered[full] = site
    return Source(numbered, relaxed, locks)


def read(folder):
    """platform.h is left out: it only says what an order is."""
    headers = [path for path in folder.glob("*.h")
               if path.name not in ("platform.h", "std_platform.h")]
    if not headers:
        raise SiteError(f"no headers in {folder}")
    return parse({path.stem: path.read_text(encoding="utf-8")
                  for path in headers})
