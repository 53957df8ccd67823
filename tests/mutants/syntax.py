"""The syntax tree of a header, from libclang, as plain nodes with offsets."""

from dataclasses import dataclass, field

from source import SourceError

# A declaration with a local class mentions the class twice.
REPEATED = ('STRUCT_DECL', 'CLASS_DECL')


@dataclass(eq=False)
class Node:
    kind: str
    name: str
    type: str
    start: int
    end: int
    children: list = field(default_factory=list)

    def text(self, source):
        return source.text[self.start:self.end]

    def is_expression(self):
        return self.kind.endswith(('_EXPR', '_OPERATOR', '_LITERAL'))


def parse(source, path, include):
    """The tree of the header `source` at `path`; `include` is the root."""
    import clang.cindex as cindex
    try:
        unit = cindex.Index.create().parse(
            str(path), args=['-x', 'c++', '-std=c++20', '-I' + str(include),
                             '-Wno-pragma-once-outside-header'],
            unsaved_files=[(str(path), source.text)])
    except cindex.LibclangError as error:
        raise SourceError(f'libclang: {error}') from error
    for diagnostic in unit.diagnostics:
        if diagnostic.severity >= cindex.Diagnostic.Error:
            raise SourceError(f'{source.name}:{diagnostic.location.line}: '
                              f'{diagnostic.spelling}')
    root = Node('HEADER', '', '', 0, len(source.text))
    for cursor in unit.cursor.get_children():
        if cursor.location.file and cursor.location.file.name == str(path):
            root.children.append(_node(cursor))
    return root


def _node(cursor):
    node = Node(cursor.kind.name, cursor.spelling, cursor.type.spelling,
                cursor.extent.start.offset, cursor.extent.end.offset)
    for child in cursor.get_children():
        if node.kind == 'VAR_DECL' and child.kind.name in REPEATED:
            continue
        node.children.append(_node(child))
    return node
