"""Litmus tests as text: the one format that the oracle and litmus.cpp read.

    test NAME
      init x=1 y=0                 locations start at 0 unless told otherwise
      thread OP ; OP ; OP          one line per thread, straight-line code
      ask r0=1 r1!=0 x=2           registers; a location means its last value
      expect allowed: why          or forbidden, or race
      class NAME                   how Relacy differs from C++20, if it does
      spare SITE: why              (handshakes) an order this outcome needs not

    class NAME: what it means      (outside tests)
    apart SITE: why                (outside tests) in no handshake

    store x 1 ORDER                exchange x 1 ORDER [r]
    load x ORDER r                 add, or, and x 1 ORDER [r]; r: value before
    cas x OLD NEW ORDER[/ORDER] [r]   strong; the second order is a failure's
    fence ORDER                    write d 1, read d r            plain data
    lock m [SITE], unlock m        when r=1   the thread ends here otherwise
    pause                          who spins lets others run; orders nothing

ORDER is relaxed, acquire, release, acq_rel, seq_cst or the name of a site in
pool/, whose order then comes from there. "ask race" asks for races only.
"""

import dataclasses
import re

ORDERS = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
READ_MODIFY_WRITES = ("add", "or", "and", "exchange")
VERDICTS = ("allowed", "forbidden", "race")

# Operation: how many operands, where the order and the register stand.
_SHAPES = {
    "store": ("location", "value", "order"),
    "load": ("location", "order", "register"),
    "add": ("location", "value", "order", "register?"),
    "or": ("location", "value", "order", "register?"),
    "and": ("location", "value", "order", "register?"),
    "exchange": ("location", "value", "order", "register?"),
    "cas": ("location", "expected", "value", "order", "register?"),
    "fence": ("order",),
    "pause": (),
    "write": ("location", "value"),
    "read": ("location", "register"),
    "lock": ("location", "order?"),
    "unlock": ("location",),
}


class FormatError(Exception):
    """A test that cannot be understood; the message names file and line."""


@dataclasses.dataclass(frozen=True)
class Operation:
    kind: str
    location: str = ""
    value: int = 0
    expected: int = 0
    order: str = ""  # for a lock: the name of its site
    failure_order: str = ""
    register: str = ""
    site: str = ""  # that gave the order
    conditions: tuple = ()  # of a "when"

    @property
    def plain(self):
        return self.kind in ("read", "write")


@dataclasses.dataclass(frozen=True)
class Condition:
    name: str
    equal: bool
    value: int

    def holds(self, values):
        return (values[self.name] == self.value) == self.equal


@dataclasses.dataclass
class Test:
    name: str
    init: dict = dataclasses.field(default_factory=dict)
    threads: list = dataclasses.field(default_factory=list)
    ask: tuple = ()
    asks_race: bool = False
    expect: str = ""
    reason: str = ""
    deviation: str = ""
    spare: dict = dataclasses.field(default_factory=dict)

    def operations(self):
        return [op for thread in self.threads for op in thread]

    def locations(self):
        return sorted({op.location for op in self.operations()
                       if op.location and op.kind not in ("lock", "unlock")})

    def sites(self):
        """Sites of orders and locks, in the order in which they appear."""
        return list(dict.fromkeys(op.site for op in self.operations()
                                  if op.site))


@dataclasses.dataclass
class File:
    tests: dict = dataclasses.field(default_factory=dict)
    classes: dict = dataclasses.field(default_factory=dict)
    apart: dict = dataclasses.field(default_factory=dict)


def failure_order(order):
    """Of a compare-exchange with one order, [atomics.types.operations]."""
    return {"acq_rel": "acquire", "release": "relaxed"}.get(order, order)


def _conditions(words):
    found = []
    for word in words:
        match = re.fullmatch(r"(\w+)(!?=)(-?\d+)", word)
        if not match:
            raise ValueError(f"not a condition: {word}")
        name, sign, value = match.groups()
        found.append(Condition(name, sign == "=", int(value)))
    return tuple(found)


def _resolve(operation, word):
    """Gives the operation its order: the orders' own names, or a site."""
    success, slash, failure = word.partition("/")
    if operation.kind == "lock":
        return dataclasses.replace(operation, site=word)
    if slash and operation.kind != "cas":
        raise ValueError(f"only a cas has two orders: {word}")
    if success not in ORDERS:
        return dataclasses.replace(operation, site=success)
    failure = failure or failure_order(success)
    if failure not in ORDERS:
        raise ValueError(f"not an order: {failure}")
    return dataclasses.replace(operation, order=success, failure_order=failure)


def parse_operation(text):
    kind, *words = text.split()
    if kind == "when":
        return Operation(kind, conditions=_conditions(words))
    if kind not in _SHAPES:
        raise ValueError(f"not an operation: {text.strip()}")
    shape = _SHAPES[kind]
    least = sum(not field.endswith("?") for field in shape)
    if not least <= len(words) <= len(shape):
        raise ValueError(f"wrong number of operands: {text.strip()}")
    operation = Operation(kind)
    for field, word in zip(shape, words):
        field = field.rstrip("?")
        if field == "order":
            operation = _resolve(operation, word)
            continue
        value = int(word) if field in ("value", "expected") else word
        operation = dataclasses.replace(operation, **{field: value})
    return operation


def _check(test):
    """What no single line can tell."""
    if not 1 <= len(test.threads) <= 4:
        raise ValueError("a test has one to four threads")
    if not test.ask and not test.asks_race:
        raise ValueError("nothing is asked")
    if test.expect not in VERDICTS:
        raise ValueError(f"expect one of {', '.join(VERDICTS)}")
    if not test.reason:
        raise ValueError("an expected verdict has a reason")
    registers = [op.register for op in test.operations() if op.register]
    if len(registers) != len(set(registers)):
        raise ValueError("a register is written twice")
    known = set(registers) | set(test.locations())
    asked = list(test.ask)
    for op in test.operations():
        asked += op.conditions
    for name in [condition.name for condition in asked] + list(test.init):
        if name not in known:
            raise ValueError(f"unknown register or location: {name}")
    plain = {op.location for op in test.operations() if op.plain}
    atomic = {op.location for op in test.operations() if op.order or
              op.site and op.kind not in ("lock", "fence")}
    if plain & atomic:
        raise ValueError(f"plain and atomic: {', '.join(plain & atomic)}")
    for thread in test.threads:
        held = []
        for op in thread:
            if op.kind == "lock":
                held.append(op.location)
            if op.kind == "unlock" and (not held or held.pop() != op.location):
                raise ValueError(f"unlocked but not held: {op.location}")
        if held:
            raise ValueError(f"never unlocked: {', '.join(held)}")


def _line(test, keyword, rest):
    """Takes one line of a test."""
    if keyword == "init":
        for condition in _conditions(rest.split()):
            test.init[condition.name] = condition.value
    elif keyword == "thread":
        test.threads.append([parse_operation(op) for op in rest.split(";")])
    elif keyword == "ask":
        test.asks_race = rest == "race"
        test.ask = () if test.asks_race else _conditions(rest.split())
    elif keyword == "expect":
        test.expect, _, test.reason = (s.strip() for s in rest.partition(":"))
    elif keyword == "class":
        test.deviation = rest
    elif keyword == "spare":
        site, reason = _titled(rest)
        test.spare[site] = reason
    else:
        raise ValueError(f"not a keyword: {keyword}")


def _titled(rest):
    """TITLE: text"""
    title, _, text = (part.strip() for part in rest.partition(": "))
    if not title or not text:
        raise ValueError("a name, a colon and a text are needed")
    return title, text


class _Parser:
    """Takes a file line by line; a test ends where something else begins."""

    def __init__(self):
        self.file = File()
        self.test = None

    def end_test(self):
        if self.test is not None:
            _check(self.test)
        self.test = None

    def take(self, line):
        keyword, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if not keyword or keyword.startswith("#"):
            return
        if keyword == "test":
            self.end_test()
            if not rest or rest in self.file.tests:
                raise ValueError(f"no name, or a second test: {rest}")
            self.test = self.file.tests[rest] = Test(rest)
        elif keyword in ("class", "apart") and not line.startswith(" "):
            self.end_test()
            title, text = _titled(rest)
            vars(self.file)["classes" if keyword == "class" else keyword][
                title] = text
        elif self.test is None:
            raise ValueError("a line outside a test")
        else:
            _line(self.test, keyword, rest)


def parse(text, name="<text>"):
    parser, number = _Parser(), 0
    try:
        for number, line in enumerate(text.splitlines(), 1):
            parser.take(line)
        parser.end_test()
        for test in parser.file.tests.values():
            if test.deviation and test.deviation not in parser.file.classes:
                raise ValueError(f"{test.name}: no class {test.deviation}")
    except ValueError as error:
        where = f" (test {parser.test.name})" if parser.test else ""
        raise FormatError(f"{name}:{number}: {error}{where}") from error
    return parser.file


def parse_file(path):
    try:
        return parse(path.read_text(encoding="utf-8"), path.name)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot read {path.name}: {error}") from error
