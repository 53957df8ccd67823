"""What the operators hand to the writer: mutants, and edits that hold them."""

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from source import normalised


@dataclass(eq=False)
class Mutant:
    file: str
    line: int
    function: str
    operator: str
    what: str      # the short form of the change
    original: str  # the text that is changed
    site: str = ''
    nearer: list = field(default_factory=list)  # run only if these survive
    id: str = ''
    number: int = 0  # within one build

    def printable(self):
        name = self.file.rsplit('/', 1)[-1]
        site = f' {self.site}' if self.site else ''
        return f'{name}:{self.line}{site} {self.operator}: {self.what}'

    def key(self):
        return '\0'.join((self.file, self.function, self.operator, self.what,
                          normalised(self.original)))


@dataclass(eq=False)
class Edit:
    """Replaces start..end. render(inner, live) gives the new text:
    inner(a, b) is the text of a..b with the edits inside it, live the mutants
    of this edit that are to be written."""
    start: int
    end: int
    layer: int  # of edits with one range, the lowest is outermost
    mutants: list
    render: object


def switch(mutant):
    return f'::mutants::Mutant({mutant.number})'


def name_all(mutants):
    """Numbers from 1, and ids that survive edits elsewhere."""
    seen = Counter()
    for number, mutant in enumerate(mutants, 1):
        key = mutant.key()
        seen[key] += 1
        text = f'{key}\0{seen[key]}'
        mutant.id = hashlib.sha256(text.encode()).hexdigest()[:10]
        mutant.number = number
    ids = Counter(mutant.id for mutant in mutants)
    assert all(count == 1 for count in ids.values()), 'two mutants, one id'
