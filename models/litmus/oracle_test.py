#!/usr/bin/python3
"""Tests the oracle and what is built on it. The verdicts derived by hand, each
with its reason, are those of tests.txt."""

import pathlib
import unittest

import golden
import handshakes
import oracle
import program
import sites

HERE = pathlib.Path(__file__).resolve().parent


def one_test(*lines, ask="race", init=""):
    text = "test t\n" + "".join(f"  thread {line}\n" for line in lines)
    text += f"  init {init}\n" * bool(init)
    text += f"  ask {ask}\n  expect forbidden: for the tests\n"
    return program.parse(text).tests["t"]


class VerdictTest(unittest.TestCase):
    def test_every_verdict_is_the_one_derived_by_hand(self):
        tests = program.parse_file(HERE / "tests.txt").tests
        self.assertGreater(len(tests), 45)
        for test in tests.values():
            with self.subTest(test.name):
                self.assertEqual(oracle.verdict(test), test.expect,
                                 test.reason)

    def test_the_order_of_threads_does_not_matter(self):
        for test in program.parse_file(HERE / "tests.txt").tests.values():
            with self.subTest(test.name):
                test.threads.reverse()
                self.assertEqual(oracle.verdict(test), test.expect)

    def test_a_stronger_order_allows_nothing_new(self):
        allowed = ("forbidden", "unreachable")
        for test in program.parse_file(HERE / "tests.txt").tests.values():
            if test.expect != "forbidden":
                continue
            for stronger in strengthened(test):
                with self.subTest(test.name):
                    self.assertIn(oracle.verdict(stronger), allowed)

    def test_a_condition_that_never_holds_is_no_verdict(self):
        test = one_test("store x 1 relaxed",
                        "load x relaxed r0 ; when r0=7 ; load x relaxed r1",
                        ask="r1=0")
        self.assertEqual(oracle.verdict(test), "unreachable")


def strengthened(test):
    """The test with one operation's order made seq_cst."""
    for number, thread in enumerate(test.threads):
        for index, op in enumerate(thread):
            if op.order:
                threads = [list(t) for t in test.threads]
                threads[number][index] = program.dataclasses.replace(
                    op, order="seq_cst", failure_order="seq_cst")
                yield program.dataclasses.replace(test, threads=threads)


class RelationTest(unittest.TestCase):
    def test_closure_is_transitive(self):
        closed = oracle.Relation(4, [(0, 1), (1, 2), (2, 3)]).closure()
        self.assertIn((0, 3), closed)
        self.assertNotIn((3, 0), closed)
        self.assertTrue(closed.irreflexive())

    def test_a_cycle_is_reflexive(self):
        closed = oracle.Relation(3, [(0, 1), (1, 2), (2, 0)]).closure()
        self.assertFalse(closed.irreflexive())

    def test_then_composes(self):
        first, second = oracle.Relation(3, [(0, 1)]), oracle.Relation(
            3, [(1, 2)])
        self.assertEqual(first.then(second).pairs(), [(0, 2)])
        self.assertEqual(second.then(first).pairs(), [])

    def test_release_sequence_ends_at_a_store(self):
        test = one_test("store x 1 release ; add x 1 relaxed ; "
                        "store x 5 relaxed ; add x 1 relaxed", ask="x=6")
        execution = next(oracle.executions(test))
        head = execution.events[1]
        self.assertEqual([e.index for e in execution.release_sequence(head)],
                         [1, 2])

    def test_mutex_sections_come_in_either_order(self):
        test = one_test("lock m ; write d 1 ; unlock m",
                        "lock m ; read d r0 ; unlock m", ask="r0=0")
        orders = {tuple(lock.thread for lock, _ in e.sections["m"])
                  for e in oracle.executions(test)}
        self.assertEqual(orders, {(0, 1), (1, 0)})


class FormatTest(unittest.TestCase):
    def assert_refused(self, message, *lines, **rest):
        with self.assertRaisesRegex(program.FormatError, message):
            one_test(*lines, **rest)

    def test_bad_lines_are_refused(self):
        self.assert_refused("not an operation", "stare x 1 relaxed")
        self.assert_refused("wrong number", "store x relaxed")
        self.assert_refused("unknown register", "load x relaxed r0", ask="r=0")
        self.assert_refused("written twice",
                            "load x relaxed r ; load x relaxed r", ask="r=0")
        self.assert_refused("never unlocked", "lock m ; write d 1")
        self.assert_refused("not held", "unlock m ; write d 1")
        self.assert_refused("plain and atomic", "write x 1",
                            "load x relaxed r0")
        self.assert_refused("not a condition", "load x relaxed r", ask="r>0")
        self.assert_refused("invalid literal", "store x one relaxed")
        self.assert_refused("only a cas", "store x 1 relaxed/relaxed")

    def test_a_message_names_line_and_test(self):
        with self.assertRaisesRegex(program.FormatError,
                                    r"f:3: not a keyword: tread .*test a"):
            program.parse("test a\n  ask race\n  tread write d 1\n", "f")

    def test_two_tests_of_one_name_are_refused(self):
        body = "test a\n  thread write d 1\n  ask race\n  expect race: x\n"
        with self.assertRaisesRegex(program.FormatError, "second test"):
            program.parse(body + body)


# Store buffering by fences, as an eventcount has it.
EVENTCOUNT = """
  void Announce() {
    waiters_.fetch_add(1, P::relaxed);  // E1
    P::Fence(P::Order(kAnnounce, P::seq_cst));
    return tasks_.load(P::relaxed);  // E2
  }
  void Notify() {
    typename P::Lock lock(mutex_);
    P::Fence(
        P::Order(kNotify, P::seq_cst));
    if (waiters_.load(P::Order(kTwice, P::acquire)) == 0) return;
    // not a site: P::Order(kComment, P::acquire)
    word_.compare_exchange_weak(a, b,
                                P::Order(kTwice, P::acq_rel));
  }
"""


class SitesTest(unittest.TestCase):
    source = sites.parse({"event": EVENTCOUNT})

    def test_orders_and_kinds_come_from_the_text(self):
        found = {name: (site.order, site.kinds)
                 for name, site in self.source.ordered.items()}
        self.assertEqual(found, {
            "kAnnounce": ("seq_cst", {"fence"}),
            "kNotify": ("seq_cst", {"fence"}),
            "kTwice.1": ("acquire", {"load"}),
            "kTwice.2": ("acq_rel", {"cas"})})
        self.assertEqual(set(self.source.relaxed), {"E1", "E2"})
        self.assertEqual(self.source.relaxed["E1"].kinds, {"add"})

    def test_a_lock_is_named_by_its_function(self):
        self.assertEqual(self.source.locks, {"event:Notify"})

    def test_a_name_stands_for_all_its_occurrences(self):
        self.assertEqual(self.source.named("kTwice"), ["kTwice.1", "kTwice.2"])
        self.assertEqual(self.source.named("kTwice.2"), ["kTwice.2"])
        self.assertEqual(self.source.named("kNone"), [])


class HandshakeTest(unittest.TestCase):
    source = sites.parse({"event": EVENTCOUNT})
    test = one_test("add waiters 1 E1 ; fence kAnnounce ; load tasks E2 r0",
                    "store tasks 1 relaxed ; fence kNotify ; "
                    "load waiters relaxed r1", ask="r0=0 r1=0")

    def test_each_fence_is_needed(self):
        rows = handshakes.check(self.test, self.source)
        self.assertEqual([(r.site, r.order, r.verdict, r.complaint)
                          for r in rows],
                         [("as in pool/", "", "forbidden", ""),
                          ("kAnnounce", "acq_rel", "allowed", ""),
                          ("kNotify", "acq_rel", "allowed", "")])

    def test_an_order_that_is_not_needed_is_a_complaint(self):
        test = one_test("store x 1 relaxed ; load waiters kTwice.1 r0",
                        ask="x=0")
        row = handshakes.check(test, self.source)[1]
        self.assertIn("not needed", row.complaint)

    def test_a_spare_order_that_is_needed_is_a_complaint(self):
        test = program.dataclasses.replace(self.test,
                                           spare={"kNotify": "wrongly"})
        row = handshakes.check(test, self.source)[2]
        self.assertIn("not spare", row.complaint)

    def test_what_is_in_no_handshake_is_a_complaint(self):
        file = program.File({"t": self.test}, {}, {"E1": "x", "E9": "x"})
        complaints = "\n".join(handshakes.uncovered(file, self.source))
        for site in ("kTwice.1", "kTwice.2", "event:Notify", "E1", "E9"):
            self.assertIn(site, complaints)
        self.assertNotIn("kAnnounce", complaints)
        self.assertNotIn("E2", complaints)

    def test_sites_that_do_not_fit_are_errors(self):
        for operation, message in (("store x 1 kTwice.1", "a store in"),
                                   ("store x 1 kNone", "no such site"),
                                   ("lock m event:None ; unlock m",
                                    "no such lock")):
            with self.assertRaisesRegex(sites.SiteError, message):
                handshakes.resolved(one_test(operation, "write d 1"),
                                    self.source)

    def test_one_step_weaker(self):
        self.assertEqual(handshakes.weaker("load", "seq_cst"), ["acquire"])
        self.assertEqual(handshakes.weaker("store", "seq_cst"), ["release"])
        self.assertEqual(handshakes.weaker("fence", "seq_cst"), ["acq_rel"])
        self.assertEqual(handshakes.weaker("cas", "acq_rel"),
                         ["acquire", "release"])
        self.assertEqual(handshakes.weaker("load", "acquire"), ["relaxed"])
        self.assertEqual(handshakes.weaker("load", "relaxed"), [])


class GoldenTest(unittest.TestCase):
    def row(self, cxx, tree, random, deviation=""):
        test = one_test("write d 1")
        test.deviation = deviation
        return golden.Row(test, cxx, tree, random)

    def test_a_deviation_needs_a_class(self):
        miss = self.row("forbidden", "allowed", "forbidden")
        self.assertEqual(miss.meaning(), "known false alarm")
        self.assertIn("no class", miss.complaint)
        self.assertEqual(
            self.row("forbidden", "allowed", "allowed", "c").complaint, "")

    def test_a_class_needs_a_deviation(self):
        row = self.row("forbidden", "forbidden", "forbidden", "c")
        self.assertIn("does not apply", row.complaint)

    def test_a_wrong_expectation_is_a_complaint(self):
        row = self.row("allowed", "allowed", "allowed")
        self.assertIn("by hand it is forbidden", row.complaint)

    def test_one_search_that_misses_is_a_miss(self):
        self.assertEqual(self.row("allowed", "forbidden", "allowed").meaning(),
                         "known miss")


if __name__ == "__main__":
    unittest.main()
