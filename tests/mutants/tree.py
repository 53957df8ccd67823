"""Reads pool/ and writes the mutated copy of the project."""

import os
from pathlib import Path

from edits import name_all
from finder import Finder
from sites import declared
from source import Source, SourceError
from syntax import parse
from writer import write

PLATFORM = 'platform.h'


def is_read(name):
    """Platforms are what is mutated against; forward declarations hold no
    code. Everything else is read, whatever it is called."""
    return not name.endswith(('platform.h', '_fwd.h'))


class Tree:
    """The mutants of all headers, and how to write them."""

    def __init__(self, root):
        self.root = Path(root)
        pool = self.root / 'pool'
        platform = pool / PLATFORM
        if not platform.is_file():
            raise SourceError(f'there is no {platform}')
        names = declared(platform.read_text())
        self.headers = []  # (source, edits)
        for path in sorted(pool.glob('*.h')):
            if not is_read(path.name):
                continue
            source = Source('pool/' + path.name, path.read_text())
            tree = parse(source, path.resolve(), self.root.resolve())
            self.headers.append((source, Finder(source, names).find(tree)))
        self.mutants = sorted(
            (m for _, edits in self.headers for e in edits for m in e.mutants),
            key=lambda m: (m.file, m.line))
        if not self.mutants:
            raise SourceError('no mutants: pool/ holds no code')
        name_all(self.mutants)

    def write(self, destination, dropped=frozenset()):
        """The project at `destination`: pool/ mutated, the rest linked."""
        destination = Path(destination)
        (destination / 'pool').mkdir(parents=True, exist_ok=True)
        for name in ('CMakeLists.txt', 'README.md', 'models', 'tests'):
            link = destination / name
            if not link.is_symlink():
                link.symlink_to(os.path.relpath(self.root / name, destination))
        texts = {Path(s.name).name: write(s, e, dropped)
                 for s, e in self.headers}
        for path in (self.root / 'pool').glob('*.h'):
            texts.setdefault(path.name, path.read_text())
        for path in (destination / 'pool').glob('*.h'):
            if path.name not in texts:
                path.unlink()
        for name, text in texts.items():
            path = destination / 'pool' / name
            if not path.exists() or path.read_text() != text:
                path.write_text(text)  # else nothing need be compiled again
