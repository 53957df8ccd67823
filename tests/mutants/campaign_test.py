import tempfile
import unittest
from pathlib import Path

import checks
from campaign import Campaign
from edits import Mutant
from verdicts import Verdicts


class Tree:
    mutants = [Mutant('pool/x.h', 1, 'F', 'order', 'w', 't', id='m', number=1)]


class Builds:
    dropped = frozenset()

    def __init__(self, place):
        self.place = place


class Baseline:
    def ensure(self, check, log, seconds):
        pass

    def seconds(self, check):
        return 0.1

    def reaches(self, check, mutant):
        return check.name != 'test far'


def script(name, tier, line):
    return checks.Check(name, tier, ['/bin/sh', '-c', line], name)


class Judging(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = Path(folder.name)

    def judge(self, *found, tiers=('tests', 'stress')):
        verdicts = Verdicts(self.place / 'verdicts.json', 'now')
        self.campaign = Campaign(Tree, Builds(self.place), verdicts, [], 1,
                                 tiers)
        self.campaign.baseline = Baseline()
        for tier in tiers:
            self.campaign._checks[tier] = [c for c in found if c.tier == tier]
        record = self.campaign.judge(Tree.mutants[0])
        verdicts.put(Tree.mutants[0], record)
        return record

    def test_the_switch_is_set(self):
        record = self.judge(script('test a', 'tests', 'exit $MUTANT'))
        self.assertEqual((record['verdict'], record['by']),
                         ('killed', 'test a'))

    def test_all_checks_passed(self):
        record = self.judge(script('test a', 'tests', ':'))
        self.assertEqual(record['verdict'], 'survived')

    def test_only_checks_that_reach_it_count(self):
        record = self.judge(script('test far', 'tests', 'exit 1'))
        self.assertEqual(record['verdict'], 'not reached')

    def test_the_last_killer_comes_first(self):
        self.judge(script('test b', 'stress', 'exit 1'))
        record = self.judge(script('test a', 'tests', 'exit 1'),
                            script('test b', 'stress', 'exit 1'))
        self.assertEqual(record['by'], 'test b')

    def test_a_crash_is_named_by_its_signal(self):
        record = self.judge(script('test a', 'tests', 'kill -SEGV $$'))
        self.assertEqual(record['detail'], 'SIGSEGV')

    def test_a_hang_is_a_time_out(self):
        record = self.judge(script('test a', 'tests',
                                   'echo HANG in A.B: no end; exit 1'))
        self.assertEqual(record['kind'], 'time-out')

    def test_a_survivor_is_settled_until_there_are_more_tiers(self):
        self.judge(script('test a', 'tests', ':'), tiers=('tests',))
        self.assertTrue(self.campaign._settled(Tree.mutants[0], {}))
        self.campaign.tiers = ('tests', 'stress')
        self.assertFalse(self.campaign._settled(Tree.mutants[0], {}))

    def test_a_further_weakening_is_implied_by_a_nearer_kill(self):
        self.judge(script('test a', 'tests', 'exit 1'))
        further = Mutant('pool/x.h', 1, 'F', 'order', 'v', 't', id='n',
                         number=2, nearer=[Tree.mutants[0]])
        self.assertEqual(self.campaign.judge(further)['verdict'], 'implied')


class Limits(unittest.TestCase):
    def test_what_does_not_end_is_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            found = checks.run(script('test a', 'tests', 'sleep 60'),
                               Path(folder) / 'log', seconds=0.2)
        self.assertEqual(found.what, 'hung')


if __name__ == '__main__':
    unittest.main()
