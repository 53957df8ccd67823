"""Walks a header's tree and asks every operator at every place it may fit."""

import re

import expressions
import statements
from edits import Mutant
from sites import atomic_kind, site_of, unnamed
from source import SourceError

SCOPES = ('CLASS_TEMPLATE', 'CLASS_DECL', 'STRUCT_DECL',
          'CLASS_TEMPLATE_PARTIAL_SPECIALIZATION')
FUNCTIONS = ('CXX_METHOD', 'CONSTRUCTOR', 'DESTRUCTOR', 'FUNCTION_DECL',
             'FUNCTION_TEMPLATE', 'CONVERSION_FUNCTION')
# Evaluated by the compiler, where no switch can be asked.
CONSTANT = re.compile(r'(?:static\s+)?(?:inline\s+)?constexpr\b|static_assert\b')


class Finder:
    """All edits of one header. `names`: the sites that have a name."""

    def __init__(self, source, names):
        self.source = source
        self.names = names
        self.edits = []
        self._path = []
        self._values = False  # whether the function returns a value
        self._guarded = []    # throws of which a guard is all there is
        self._calls = []      # the atomic operations around the node

    def find(self, tree):
        self._walk(tree, in_body=False)
        return self.edits

    def make(self, operator, what, start, end):
        source = self.source
        # What stands in a block of its own has sites of its own.
        brace = source.text.find('{\n', start + 1, end)
        own_end = end if brace < 0 else brace
        return Mutant(file=source.name, line=source.line(start),
                      function='::'.join(self._path), operator=operator,
                      what=what, original=source.text[start:end],
                      site=site_of(source, start, own_end, self.names))

    def _add(self, edits):
        self.edits.extend(edits)

    def _walk(self, node, in_body):
        if node.kind in SCOPES + FUNCTIONS:
            self._path.append(node.name.split('<')[0])
            outer, self._values = self._values, self._returns_value(node)
            self._children(node, False)
            self._values = outer
            self._path.pop()
        elif node.kind == 'LAMBDA_EXPR':
            outer, self._values = self._values, self._returns_value(node)
            self._children(node, False)
            self._values = outer
        elif node.kind == 'COMPOUND_STMT':
            self._block(node)
        elif in_body and self._is_constexpr_if(node):
            self._constexpr_if(node)
        elif not in_body or not CONSTANT.match(node.text(self.source)):
            if in_body:
                self._visit(node)
            self._children(node, in_body)

    def _children(self, node, in_body):
        kind = atomic_kind(node, self.source)
        if kind:
            self._calls.append(kind)
        for child in node.children:
            self._walk(child, in_body)
        if kind:
            self._calls.pop()

    def _returns_value(self, node, top=True):
        if node.kind == 'RETURN_STMT':
            return bool(node.children)
        if not top and node.kind in SCOPES + FUNCTIONS + ('LAMBDA_EXPR',):
            return False
        return any(self._returns_value(c, False) for c in node.children)

    def _block(self, block):
        for run in statements.runs(block):
            self._add(statements.swapped(self.make, run, self.source))
        for node in block.children:
            self._statement(node)
            self._walk(node, in_body=True)

    def _statement(self, node):
        """One statement of a block, or the sole one that depends on an if."""
        if not node.is_expression():
            return
        if node not in self._guarded:
            self._add(statements.removed(self.make, node, self.source))
        self._add(statements.notifies_one(self.make, node, self.source))

    def _visit(self, node):
        visitor = getattr(self, '_visit_' + node.kind.lower(), None)
        if visitor:
            visitor(node)
        self._expression(node)

    def _expression(self, node):
        kind = atomic_kind(node, self.source)
        if kind and unnamed(self.source, node, self.names):
            raise SourceError(f'{self.source.where(node.start)}: this atomic '
                              'operation does not name its ordering site')
        if node.kind == 'CALL_EXPR' and self._calls:
            self._add(expressions.orders(self.make, node, self.source,
                                         self._calls[-1]))
        found = expressions.binary(node, self.source)
        if found and found[1] in expressions.LOGICAL:
            self._add(expressions.clauses(self.make, node, self.source))
        elif found and found[1] in expressions.BOUNDARY:
            self._add(expressions.boundary(self.make, node, self.source))

    def _visit_decl_stmt(self, node):
        self._add(statements.not_locked(self.make, node, self.source))

    def _visit_return_stmt(self, node):
        if node.children and expressions.is_predicate(node.children[0],
                                                      self.source):
            value = node.children[0]
            self._condition(value.start, value.end, 'predicate true',
                            'predicate false')

    def _visit_conditional_operator(self, node):
        test = node.children[0]
        self._condition(test.start, test.end, 'condition true',
                        'condition false')

    def _condition(self, start, end, true, false):
        self._add(expressions.condition(self.make, self.source, start, end,
                                        true=true, false=false))

    def _header(self, node):
        """Of an if or a loop: where its condition is, whether it declares
        something, and the statements that depend on it."""
        opening = self.source.text.index('(', node.start)
        closing = self.source.closing(opening)
        start, end = self.source.parts(opening + 1, closing)[-1]
        declares = any(c.kind == 'VAR_DECL' and c.start >= start
                       for c in node.children if c.start < closing)
        return start, end, declares, [c for c in node.children
                                      if c.start > closing]

    def _is_constexpr_if(self, node):
        return node.kind == 'IF_STMT' and re.match(
            r'if\s+constexpr\b', node.text(self.source))

    def _constexpr_if(self, node):
        for body in self._header(node)[-1]:
            self._statement(body)
            self._walk(body, in_body=True)

    def _visit_if_stmt(self, node):
        start, end, declares, bodies = self._header(node)
        body, alone = bodies[0], len(bodies) == 1
        while body.kind == 'COMPOUND_STMT' and len(body.children) == 1:
            body = body.children[0]
        if alone and statements.is_throw(body):
            self._guarded.append(body)  # its removal is the guard's removal
        for each in bodies:
            self._statement(each)
        leaves = alone and (body.kind in ('RETURN_STMT', 'BREAK_STMT') or
                            statements.is_throw(body))
        if declares:
            self._add(statements.removed(self.make, node, self.source,
                                         'condition false'))
        elif leaves:
            self._condition(start, end, 'guard always', 'guard removed')
        elif alone and body.is_expression():
            # Forced false is that statement removed.
            self._condition(start, end, 'condition true', None)
        else:
            self._condition(start, end, 'condition true', 'condition false')

    def _visit_while_stmt(self, node):
        start, end, declares, bodies = self._header(node)
        waits = 'wait' in bodies[-1].text(self.source)
        self._add(statements.once(self.make, node, self.source, 'waits once'
                                  if waits else 'loop once'))
        never = 'never waits' if waits else 'loop removed'
        if declares:
            self._add(statements.removed(self.make, node, self.source, never))
        else:
            self._condition(start, end, None, never)

    def _visit_do_stmt(self, node):
        opening = self.source.text.index('(', node.children[0].end)
        start, end = self.source.trim(opening + 1, self.source.closing(opening))
        self._condition(start, end, None, 'loop once')

    def _visit_for_stmt(self, node):
        opening = self.source.text.index('(', node.start)
        start, end = self.source.parts(opening + 1,
                                       self.source.closing(opening))[1]
        if start != end:
            self._add(statements.removed(self.make, node, self.source,
                                         'loop removed'))
        elif not self._values:
            # A function that returns a value must not fall off its end.
            self._add(statements.once(self.make, node, self.source,
                                      'loop once'))

    def _visit_cxx_for_range_stmt(self, node):
        self._add(statements.removed(self.make, node, self.source,
                                     'loop removed'))
