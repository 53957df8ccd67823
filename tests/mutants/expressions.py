"""Operators on expressions: conditions, clauses, boundaries, orders."""

import re

from edits import Edit, switch
from sites import NEARER, ORDER, WEAKER
from source import shortened

LOGICAL = ('&&', '||')
BOUNDARY = {'<': '<=', '<=': '<', '>': '>=', '>=': '>'}
COMPARISON = (*BOUNDARY, '==', '!=')
CLAIMS = re.compile(r'\bcompare_exchange_\w+\s*\(')


def binary(node, source):
    """(left, operator, right) of an infix expression of any type; else None."""
    if node.kind not in ('BINARY_OPERATOR', 'CALL_EXPR') or \
            len(node.children) < 2:
        return None
    left, right = node.children[0], node.children[-1]
    if left.start != node.start or right.end != node.end:
        return None
    start = source.skip_blank(left.end)
    operator = re.compile(r'&&|\|\||<=|>=|==|!=|<|>').match(source.text, start)
    if not operator or source.skip_blank(operator.end()) != right.start:
        return None
    return left, operator[0], right


def is_predicate(node, source):
    """Whether a returned expression is a question and not a value."""
    while node.kind in ('UNEXPOSED_EXPR', 'PAREN_EXPR') and node.children:
        node = node.children[0]
    found = binary(node, source)
    if found:
        return found[1] in LOGICAL + COMPARISON
    return node.kind == 'UNARY_OPERATOR' and node.text(source).startswith('!')


def condition(make, source, start, end, layer=0, *, true=None, false=None):
    """Forces a condition, which is evaluated all the same. true and false name
    the operators; None: not that one."""
    what = shortened(source.text[start:end])
    for operator, form in ((true, '(({0}) || {1})'), (false, '(({0}) && !{1})')):
        if operator:
            mutant = make(operator, what, start, end)
            yield Edit(start, end, layer, [mutant],
                       lambda inner, live, form=form: form.format(
                           inner(start, end), switch(live[0])))
    if true and CLAIMS.search(source.text, start, end):
        mutant = make('claim skipped', what, start, end)
        yield Edit(start, end, layer, [mutant],
                   lambda inner, live: f'({switch(live[0])} || '
                                       f'({inner(start, end)}))')


def clauses(make, node, source):
    """Each operand of && or || dropped; of a chain, each of its links."""
    left, operator, right = binary(node, source)
    operands = [right]
    chain = binary(left, source)
    if not (chain and chain[1] == operator):
        operands.insert(0, left)
    form = '({1} || ({0}))' if operator == '&&' else '(!{1} && ({0}))'
    for operand in operands:
        mutant = make('clause dropped', shortened(operand.text(source)),
                      operand.start, operand.end)
        yield Edit(operand.start, operand.end, 0, [mutant],
                   lambda inner, live, o=operand: form.format(
                       inner(o.start, o.end), switch(live[0])))


def boundary(make, node, source):
    left, operator, right = binary(node, source)
    other = BOUNDARY[operator]
    mutant = make('boundary', f'{shortened(node.text(source))}: '
                  f'{operator} -> {other}', node.start, node.end)

    def render(inner, live):
        a, b = inner(left.start, left.end), inner(right.start, right.end)
        return f'({switch(live[0])} ? (({a}) {other} ({b})) : ' \
               f'(({a}) {operator} ({b})))'
    yield Edit(node.start, node.end, 2, [mutant], render)


def orders(make, node, source, kind):
    """Each weaker order of a P::Order(...), nearest first."""
    found = ORDER.match(source.text, node.start, node.end)
    weaker = WEAKER[kind].get(found[2], []) if found and kind else []
    mutants = {}
    for position, order in enumerate(weaker):
        mutant = make('order', f'{found[2]} -> {order}', node.start, node.end)
        mutant.nearer = [mutants[n] for n in NEARER[order] if n in mutants] \
            if order in NEARER else []
        mutants[order] = mutant
        yield Edit(node.start, node.end, 3 + position, [mutant],
                   lambda inner, live, order=order:
                   f'({switch(live[0])} ? P::{order} : '
                   f'{inner(node.start, node.end)})')
