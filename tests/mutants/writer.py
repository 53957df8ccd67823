"""Writes a header with all its mutants, each behind its switch."""

from edits import switch
from source import SourceError


def write(source, edits, dropped=frozenset()):
    """The mutated text, without the mutants whose ids are dropped."""
    live = {id(edit): [m for m in edit.mutants if m.id not in dropped]
            for edit in edits}
    edits = sorted((edit for edit in edits if live[id(edit)]),
                   key=lambda edit: (edit.start, -edit.end, edit.layer))
    text = f'#line 1 "{source.name}"\n' + \
        _expand(source, edits, live, 0, len(source.text))
    for edit in edits:
        for mutant in live[id(edit)]:
            if switch(mutant) not in text:
                raise SourceError(f'{mutant.printable()}: lost by an edit '
                                  'around it')
    return text


def line_directive(source, offset):
    return f'\n#line {source.line(offset)} "{source.name}"\n'


def _expand(source, edits, live, start, end):
    pieces, position = [], start
    while edits:
        edit, rest = edits[0], edits[1:]
        inside = [e for e in rest if e.start < edit.end]
        edits = [e for e in rest if e.start >= edit.end]
        for other in inside:
            if other.end > edit.end:
                raise SourceError(f'{source.where(other.start)}: edits overlap')

        def inner(a, b, inside=inside):
            return _expand(source, [e for e in inside
                                    if a <= e.start and e.end <= b], live, a, b)

        pieces.append(source.text[position:edit.start])
        new = edit.render(inner, live[id(edit)])
        pieces.append(new)
        old = source.text[edit.start:edit.end]
        if '#line' in new or new.count('\n') != old.count('\n'):
            pieces.append(line_directive(source, edit.end))
        position = edit.end
    return ''.join(pieces) + source.text[position:end]
