import subprocess
import tempfile
import unittest
from pathlib import Path

import process
from sample_header import found
from source import Source, SourceError
from edits import Edit, Mutant
from writer import write

HERE = Path(__file__).resolve().parent

# Runs F with a mutant on; prints what it left behind.
PROGRAM = r'''
#include <cstdio>
struct World {
  static constexpr int relaxed = 0, acquire = 1, release = 2;
  static int Order(int, int order) { return order; }
  struct Mutex { int locked = 0; };
  struct Lock { Mutex& m; Lock(Mutex& mutex) : m(mutex) { ++m.locked; } };
};
#include "x.h"
template <class T> void Atomic<T>::store(T, int order) { last = order; }
int main() {
  C<World> c;
  c.F();
  std::printf("%s", c.trace);
}
'''


def run(body):
    """Runs the mutated F without a mutant and with each; id -> output."""
    body = 'public: char trace[99] = ""; int at = 0;\n' \
           'void T(char c) { if (at < 90) trace[at++] = c; }\n' + body
    source, edits = found(body)
    edits = [e for e in edits if e.mutants[0].function != 'C::T']
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / 'x.h').write_text(write(source, edits))
        (folder / 'x.cpp').write_text(PROGRAM)
        subprocess.run(['g++', '-std=c++20', '-w', '-include',
                        HERE / 'mutant.h', 'x.cpp', '-o', 'x'], cwd=folder,
                       check=True)
        outputs = {}
        for mutant in [None] + [m for e in edits for m in e.mutants]:
            number = str(mutant.number) if mutant else '0'
            name = f'{mutant.operator}: {mutant.what}' if mutant else ''
            # A mutant may well loop for ever, or overrun what it writes.
            ended = process.run(
                [folder / 'x'], folder / 'log', env={'MUTANT': number},
                seconds=20 if mutant is None else 1)
            outputs[name] = 'endless' if ended.timed_out else ended.output
        return outputs


class Writing(unittest.TestCase):
    def test_each_switch_does_what_its_mutant_says(self):
        outputs = run('''
          void F() {
            T('a');
            if (at == 1 && at != 2) T('b');
            T('c');  // a comment
          }''')
        self.assertEqual(outputs.pop(''), 'abc')
        self.assertEqual(outputs, {
            "call removed: T('a')": 'c',
            "call removed: T('b')": 'ac',
            "call removed: T('c')": 'ab',
            'condition true: at == 1 && at != 2': 'abc',
            'clause dropped: at == 1': 'abc',
            'clause dropped: at != 2': 'abc',
            "statements swapped: T('a'); <-> if (at == 1 && at != 2) T('b');":
                'ac',
            "statements swapped: if (at == 1 && at != 2) T('b'); <-> T('c');":
                'ac',
        })

    def test_a_loop_runs_once_and_not_at_all(self):
        outputs = run("void F() { while (at < 3) { if (at == 1) { T('x'); "
                      "continue; } T('y'); } }")
        self.assertEqual(outputs[''], 'yxy')
        self.assertEqual(outputs['loop once: while (at < 3)'], 'y')
        self.assertEqual(outputs['loop removed: at < 3'], '')
        self.assertEqual(outputs['boundary: at < 3: < -> <='], 'yxyy')

    def test_a_weaker_order_reaches_the_operation(self):
        outputs = run("void F() { word_.store(1, P::Order(kDone, P::release)); "
                      "T('0' + word_.last); }")
        self.assertEqual(outputs[''], '2')
        self.assertEqual(outputs['order: release -> relaxed'], '0')

    def test_a_lock_takes_a_mutex_of_its_own(self):
        outputs = run("void F() { { typename P::Lock l(mutex_); } "
                      "T('0' + mutex_.locked); }")
        self.assertEqual(outputs[''], '1')
        self.assertEqual(
            outputs['lock removed: typename P::Lock l(mutex_);'], '0')

    def test_what_is_dropped_is_not_written(self):
        source, edits = found('void F() { changed_.notify_all(); }')
        mutants = {m.operator: m for e in edits for m in e.mutants}
        text = write(source, edits, {mutants['notify one'].id})
        self.assertNotIn('notify_one()', text.split('class C')[1])
        self.assertIn(f'Mutant({mutants["notify removed"].number})', text)

    def test_edits_that_overlap_are_refused(self):
        def edit(start, end):
            mutant = Mutant('x.h', 1, 'F', 'o', f'{start}', '', id=f'{start}')
            return Edit(start, end, 0, [mutant], lambda inner, live: '')
        with self.assertRaises(SourceError):
            write(Source('x.h', 'abcdef'), [edit(0, 3), edit(2, 5)])


class Identity(unittest.TestCase):
    def test_an_id_survives_edits_elsewhere(self):
        _, before = found('void F() { ++count_; }')
        _, after = found('// More.\nvoid G() { --count_; }\n'
                         'void F() {\n  // Why.\n  ++count_; }')
        ids = {m.id for e in after for m in e.mutants}
        self.assertTrue({m.id for e in before for m in e.mutants} <= ids)

    def test_equal_texts_have_ids_of_their_own(self):
        _, edits = found('void F() { ++count_; int a = 1; ++count_; }')
        mutants = [m for e in edits for m in e.mutants]
        self.assertEqual(len({m.id for m in mutants}), 2)

    def test_the_printable_form_names_the_site(self):
        _, edits = found('void F() {\nword_.store(1, P::Order(kDone, '
                         'P::release)); }')
        self.assertIn('x.h:13 S4 kDone order: release -> relaxed',
                      [m.printable() for e in edits for m in e.mutants])


if __name__ == '__main__':
    unittest.main()
