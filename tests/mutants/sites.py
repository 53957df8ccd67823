"""Names of ordering sites, and the atomic operations that must have one."""

import re

TRAILING = re.compile(r'//\s*([A-Z]\d+)\b')
LEADING = re.compile(r'\s*//\s*([A-Z]\d+)\b')
ORDER = re.compile(r'P::Order\(\s*(k\w+)\s*,\s*P::(\w+)\s*\)')
ATOMIC = re.compile(
    r'(?:\.|->)\s*(load|store|exchange|fetch_\w+|compare_exchange_\w+)$')
DECLARED = re.compile(r'^\s*(k\w+),\s*//\s*([A-Z]\d+)\b', re.M)

# Each weaker order, nearest first, that an operation of the kind can have.
WEAKER = {
    'load': {'seq_cst': ['acquire', 'relaxed'], 'acquire': ['relaxed']},
    'store': {'seq_cst': ['release', 'relaxed'], 'release': ['relaxed']},
    'rmw': {'seq_cst': ['acq_rel', 'acquire', 'release', 'relaxed'],
            'acq_rel': ['acquire', 'release', 'relaxed'],
            'acquire': ['relaxed'], 'release': ['relaxed']},
    # A relaxed fence is no fence; that is an operator of its own.
    'fence': {'seq_cst': ['acq_rel', 'acquire', 'release'],
              'acq_rel': ['acquire', 'release']},
}
# What must survive before the key is worth a run.
NEARER = {'acquire': ['acq_rel'], 'release': ['acq_rel'],
          'relaxed': ['acq_rel', 'acquire', 'release']}


def declared(platform_text):
    """kName -> letter and number, from the enumeration of sites."""
    return dict(DECLARED.findall(platform_text))


def atomic_kind(node, source):
    """load, store or rmw if the node is an atomic operation; fence; else None."""
    if node.kind != 'CALL_EXPR' or not node.children:
        return None
    callee = node.children[0].text(source)
    if callee == 'P::Fence':
        return 'fence'
    found = ATOMIC.search(callee)
    if not found:
        return None
    return found[1] if found[1] in ('load', 'store') else 'rmw'


def site_of(source, start, end, names):
    """The site that start..end belongs to: by Order, by a trailing comment,
    or by the comment block above it that opens with a site's name."""
    found = ORDER.search(source.text, start, end)
    if found:
        letter = names.get(found[1])
        return f'{letter} {found[1]}' if letter else found[1]
    first, last = source.line(start), source.line(end)
    for number in range(first, last + 1):
        found = TRAILING.search(source.line_text(number))
        if found:
            return found[1]
    number = first - 1
    while number > 0 and source.line_text(number).lstrip().startswith('//'):
        found = LEADING.match(source.line_text(number))
        if found:
            return found[1]
        number -= 1
    return ''


def unnamed(source, node, names):
    """Whether an atomic operation lacks the name of its site."""
    return not site_of(source, node.start, node.end, names)
