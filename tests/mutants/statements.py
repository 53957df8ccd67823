"""Operators on statements: removed, swapped, waited once, not locked."""

import re

from edits import Edit, switch
from source import SourceError, shortened

# By the text of a statement, what its removal is called; the first that fits.
REMOVALS = (
    ('fence removed', r'\bP::Fence\s*\('),
    ('notify removed', r'\b(?:notify_(?:one|all)|Notify\w*)\s*\(|Wake\w*\s*\('),
    ('wait removed', r'\.\s*wait(?:_for|_until)?\s*\('),
    ('lock step removed', r'\.\s*(?:un)?lock\s*\('),
    ('write removed', r'(?:\.|->)\s*(?:store|exchange|fetch_\w+)\s*\('),
    ('throw removed', r'^throw\b'),
    ('assignment removed', r'^[^(]*(?:\(\s*\))?[^(=!<>]*[-+|&]?=[^=]|^(?:\+\+|--)'),
    ('call removed', r''),
)
SHARED = re.compile(r'\b\w+_\b|P::|\b[A-Z]\w*\(|notify|\.\s*(?:wait|(?:un)?lock)')
# Whoever is to wake all wakes one.
ONE_FOR_ALL = (('notify_all', 'notify_one'), ('NotifyAll', 'Notify'))
LOCK = re.compile(r'typename\s+P::Lock\s+(\w+)\s*\(')
JUMPS = ('RETURN_STMT', 'BREAK_STMT', 'CONTINUE_STMT', 'GOTO_STMT',
         'DECL_STMT', 'LABEL_STMT', 'CASE_STMT', 'DEFAULT_STMT')
WITH_BODY = ('IF_STMT', 'FOR_STMT', 'WHILE_STMT', 'CXX_FOR_RANGE_STMT')


def full_end(node, source):
    """A statement's end with its semicolon."""
    if node.kind in WITH_BODY:
        return full_end(node.children[-1], source)
    if node.kind in ('COMPOUND_STMT', 'CXX_TRY_STMT', 'SWITCH_STMT') or \
            source.text[node.end - 1] == ';':
        return node.end
    return source.after_semicolon(node.end)


def removed(make, node, source, operator=None):
    start, end = node.start, full_end(node, source)
    text = source.text[start:end]
    operator = operator or next(
        name for name, pattern in REMOVALS if re.search(pattern, text))
    mutant = make(operator, shortened(text.rstrip(';')), start, end)
    yield Edit(start, end, 0, [mutant],
               lambda inner, live: f'{{ if (!{switch(live[0])}) '
                                   f'{{ {inner(start, end)} }} }}')


def notifies_one(make, node, source):
    start, end = node.start, full_end(node, source)
    for every, one in ONE_FOR_ALL:
        found = re.compile(rf'\b{every}\b(?=\s*\(\s*\)\s*;$)').search(
            source.text[:end], start)
        if not found:
            continue
        mutant = make('notify one', f'{every} -> {one}', start, end)
        yield Edit(start, end, 1, [mutant],
                   lambda inner, live, found=found, one=one:
                   f'{{ if ({switch(live[0])}) {{ '
                   f'{source.text[start:found.start()]}{one}'
                   f'{source.text[found.end():end]} }} else '
                   f'{{ {inner(start, end)} }} }}')


def once(make, node, source, operator):
    """A while, or a for without a condition, whose body runs once at most."""
    start, end = node.start, full_end(node, source)
    body = node.children[-1]
    opening = source.text.index('(', start)
    closing = source.closing(opening)
    mutant = make(operator, shortened(source.text[start:closing + 1]), start,
                  end)

    def render(inner, live):
        again = f'again_{live[0].number}'
        head = (f'for (bool {again} = false; !({switch(live[0])} && {again}); '
                f'{again} = true)')
        if node.kind == 'FOR_STMT':
            return f'{{ {head} {{ {inner(body.start, end)} }} }}'
        return (f'{{ {head} if ({inner(opening + 1, closing)}) '
                f'{{ {inner(body.start, end)} }} else break; }}')
    yield Edit(start, end, 1, [mutant], render)


def not_locked(make, node, source):
    """typename P::Lock lock(mutex_) takes a mutex of its own instead."""
    found = LOCK.match(source.text, node.start, node.end)
    if not found:
        return
    start, end = found.end(), source.closing(found.end() - 1)
    if ',' in source.text[start:end]:
        raise SourceError(f'{source.where(start)}: a lock with a second '
                          'argument is not understood')
    mutant = make('lock removed', shortened(source.text[node.start:node.end]),
                  node.start, node.end)

    def render(inner, live):
        own = f'own_{live[0].number}'
        return (f'::mutants::OwnMutex<typename P::Mutex> {own}('
                f'{switch(live[0])}); {source.text[node.start:start]}'
                f'{own}.Or({inner(start, end)}){source.text[end:node.end]}')
    yield Edit(node.start, node.end, 0, [mutant], render)


def runs(block):
    """Runs of two and more statements in a block that may change places."""
    run = []
    for node in block.children:
        if node.kind in JUMPS or is_throw(node):
            if len(run) > 1:
                yield run
            run = []
        else:
            run.append(node)
    if len(run) > 1:
        yield run


def is_throw(node):
    while node.kind == 'UNEXPOSED_EXPR' and node.children:
        node = node.children[0]
    return node.kind == 'CXX_THROW_EXPR'


def swapped(make, run, source):
    """Each two neighbours of a run, unless neither touches what is shared."""
    spans = [(node.start, full_end(node, source)) for node in run]
    pairs = []
    for i in range(len(spans) - 1):
        (a, b), (c, d) = spans[i:i + 2]
        if not (SHARED.search(source.text, a, b) or
                SHARED.search(source.text, c, d)):
            continue
        pairs.append((i, make(
            'statements swapped', f'{shortened(source.text[a:b], 36)} <-> '
            f'{shortened(source.text[c:d], 36)}', a, d)))
    if not pairs:
        return

    def text(inner, order):
        return ''.join(f'\n#line {source.line(spans[i][0])} "{source.name}"\n'
                       f'{inner(*spans[i])}' for i in order)

    def render(inner, live):
        pieces = []
        for i, mutant in pairs:
            if mutant in live:
                order = list(range(len(spans)))
                order[i:i + 2] = [i + 1, i]
                pieces.append(f'if ({switch(mutant)}) '
                              f'{{{text(inner, order)}\n}} else ')
        return f'{"".join(pieces)}{{{text(inner, range(len(spans)))}\n}}'
    yield Edit(spans[0][0], spans[-1][1], 0, [m for _, m in pairs], render)
