import tempfile
import unittest
from pathlib import Path

import judgement
import report
import sample
from edits import Mutant

ENTRY = '[[equivalent]]\nmutant = "a"\nform = "x"\nlemma = "l"\n' \
        'argument = "because"\n'


def loaded(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'equivalent.toml'
        path.write_text(text)
        return judgement.load(path)


def mutants(*ids):
    return [Mutant('pool/x.h', 1, 'F', 'order', 'w', 't', id=i) for i in ids]


class Entries(unittest.TestCase):
    def test_an_entry_without_a_reason_is_refused(self):
        with self.assertRaisesRegex(judgement.JudgementError, 'lemma'):
            loaded(ENTRY.replace('lemma = "l"\n', ''))

    def test_an_unknown_kind_is_refused(self):
        with self.assertRaises(judgement.JudgementError):
            loaded(ENTRY.replace('equivalent', 'harmless'))

    def test_a_mutant_that_is_gone_or_killed_is_a_complaint(self):
        entries = loaded(ENTRY)
        many = mutants('a', *map(str, range(20)))
        survived = {'a': {'verdict': 'survived'}}
        killed = {'a': {'verdict': 'killed', 'by': 'test t'}}
        self.assertEqual(
            list(judgement.complaints(entries, many, survived)), [])
        self.assertIn('killed by test t',
                      list(judgement.complaints(entries, many, killed))[0])
        self.assertIn('no such mutant',
                      list(judgement.complaints(entries, many[1:], {}))[0])

    def test_the_oracle_is_asked_and_believed(self):
        beyond = loaded(ENTRY.replace('equivalent', 'beyond') +
                        'oracle = "publish-take"\nsite = "kTake"\n')
        same = loaded(ENTRY + 'oracle = "publish-take"\nsite = "kTake"\n')
        self.assertEqual(list(judgement.oracle_complaints(beyond)), [])
        self.assertIn('publish-take',
                      list(judgement.oracle_complaints(same))[0])
        unknown = loaded(ENTRY + 'oracle = "none"\nsite = "kTake"\n')
        with self.assertRaises(judgement.JudgementError):
            list(judgement.oracle_complaints(unknown))

    def test_more_than_a_tenth_is_a_complaint(self):
        found = list(judgement.complaints(
            loaded(ENTRY), mutants('a', 'b'), {'a': {'verdict': 'survived'}}))
        self.assertIn('more than a tenth', found[0])


class Tables(unittest.TestCase):
    RECORDS = {
        'a': {'verdict': 'survived', 'tiers': []},
        'b': {'verdict': 'killed', 'kind': 'model', 'by': 'quick m X'},
        'c': {'verdict': 'killed', 'kind': 'time-out', 'by': 'test t'},
        'd': {'verdict': 'not reached', 'tiers': []},
        'e': {'verdict': 'implied', 'by': 'b'},
    }

    def rows(self, entries):
        return list(report.rows(mutants(*'abcde'), self.RECORDS, entries))

    def test_the_last_line_counts(self):
        self.assertEqual(
            report.last_line(self.rows({})),
            '4 mutants: 2 killed (1 by models, 0 by tests, 1 time-outs), '
            '0 equivalent, 0 beyond Relacy, 2 survivors')

    def test_a_judged_mutant_is_no_survivor(self):
        rows = self.rows(loaded(ENTRY))
        self.assertIn('1 equivalent, 0 beyond Relacy, 1 survivors',
                      report.last_line(rows))

    def test_an_entry_does_not_hide_a_kill(self):
        rows = self.rows(loaded(ENTRY.replace('"a"', '"b"')))
        self.assertIn('2 killed', report.last_line(rows))


class Sample(unittest.TestCase):
    def test_all_orders_and_some_others_of_their_programs(self):
        rows = [{'id': str(i), 'kind': 'model', 'operator': 'lock removed',
                 'by': f'quick {"a" if i % 2 else "b"} X'} for i in range(40)]
        rows.append({'id': 'o', 'kind': 'model', 'operator': 'order',
                     'by': 'quick a X'})
        chosen = sample.choose(rows, 11)
        self.assertEqual(chosen[0]['id'], 'o')
        self.assertEqual(len(chosen), 11)
        self.assertEqual({sample.program(r) for r in chosen}, {'a'})


if __name__ == '__main__':
    unittest.main()
