"""A header for the unit tests: every form the operators know, once."""

import tempfile
from pathlib import Path

from edits import name_all
from finder import Finder
from source import Source
from syntax import parse

NAMES = {'kDone': 'S4', 'kSee': 'S6', 'kFence': 'F1'}

HEAD = '''
template <class T> struct Atomic {
  int last;
  T load(int); void store(T, int); T fetch_add(T, int); T fetch_sub(T, int);
  bool compare_exchange_weak(T&, T, int);
};
struct CondVar { template <class L> void wait(L&); void notify_one();
                 void notify_all(); };
enum Site { kDone, kSee, kFence };
template <class P>
class C {
'''
TAIL = '''
  Atomic<int> word_;
  typename P::Mutex mutex_;
  CondVar changed_;
  int count_ = 0;
};
'''


def found(body, names=None):
    """(source, edits) of a class with these members."""
    source = Source('pool/x.h', HEAD + body + TAIL)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'x.h'
        path.write_text(source.text)
        tree = parse(source, path, folder)
    edits = Finder(source, NAMES if names is None else names).find(tree)
    name_all([m for e in edits for m in e.mutants])
    return source, edits


def forms(body):
    """operator: what, of each mutant, sorted."""
    _, edits = found(body)
    return sorted(f'{m.operator}: {m.what}' for e in edits for m in e.mutants)
