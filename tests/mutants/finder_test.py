import unittest

from sample_header import found, forms
from source import SourceError


def named(body, operator):
    return [f.split(': ', 1)[1] for f in forms(body)
            if f.startswith(operator + ': ')]


class Orders(unittest.TestCase):
    def test_each_kind_of_operation_gets_the_orders_it_can_have(self):
        weaker = {
            'word_.load(P::Order(kSee, P::seq_cst));':
                ['seq_cst -> acquire', 'seq_cst -> relaxed'],
            'word_.store(1, P::Order(kDone, P::release));':
                ['release -> relaxed'],
            'word_.fetch_sub(1, P::Order(kDone, P::acq_rel));':
                ['acq_rel -> acquire', 'acq_rel -> relaxed',
                 'acq_rel -> release'],
            'P::Fence(P::Order(kFence, P::seq_cst));':
                ['seq_cst -> acq_rel', 'seq_cst -> acquire',
                 'seq_cst -> release'],
        }
        for statement, expected in weaker.items():
            with self.subTest(statement):
                self.assertEqual(
                    named(f'void F() {{ {statement} }}', 'order'), expected)

    def test_a_further_weakening_names_the_nearer_ones(self):
        _, edits = found('int F() { return '
                         'word_.load(P::Order(kSee, P::seq_cst)); }')
        orders = {m.what: m for e in edits for m in e.mutants
                  if m.operator == 'order'}
        self.assertEqual(orders['seq_cst -> relaxed'].nearer,
                         [orders['seq_cst -> acquire']])

    def test_an_inner_load_keeps_its_own_kind(self):
        self.assertEqual(
            named('void F() { word_.store(word_.load(P::Order(kSee, '
                  'P::acquire)), P::relaxed);  // S1\n }', 'order'),
            ['acquire -> relaxed'])

    def test_an_atomic_operation_without_a_site_is_refused(self):
        with self.assertRaisesRegex(SourceError, r'pool/x\.h:13: .*site'):
            found('\nvoid F() { word_.store(1, P::relaxed); }')

    def test_a_fence_is_removed(self):
        self.assertEqual(named('void F() { P::Fence(P::Order(kFence, '
                               'P::acquire)); }', 'fence removed'),
                         ['P::Fence(P::Order(kFence, P::acquire))'])


class Statements(unittest.TestCase):
    def test_removals_are_called_by_what_they_remove(self):
        self.assertEqual(
            [f.split(':')[0] for f in forms('void F() { changed_.notify_one(); '
                                            'int a = 1; ++count_; }')],
            ['assignment removed', 'notify removed'])

    def test_notify_all_becomes_notify_one(self):
        self.assertEqual(named('void F() { changed_.notify_all(); }',
                               'notify one'), ['notify_all -> notify_one'])

    def test_a_lock_on_a_line_of_its_own_block_is_found(self):
        self.assertEqual(named('void F() { { typename P::Lock l(mutex_); } }',
                               'lock removed'), ['typename P::Lock l(mutex_);'])

    def test_neighbours_are_swapped_unless_nothing_is_shared(self):
        self.assertEqual(
            named('void F(int a, int b) { ++count_; a = 1; b = 2; }',
                  'statements swapped'), ['++count_; <-> a = 1;'])

    def test_a_declaration_or_return_divides_a_run(self):
        self.assertEqual(named('int F() { ++count_; int a = 1; ++count_; '
                               'return a; }', 'statements swapped'), [])

    def test_a_destructor_of_a_local_class_counts_once(self):
        body = ('void F() { struct L { C* c; ~L() { ++c->count_; } } '
                'l{this}; }')
        self.assertEqual(named(body, 'assignment removed'), ['++c->count_'])

    def test_the_throw_of_a_guard_is_not_counted_twice(self):
        body = 'void F() { if (count_ == 1) { throw 1; } ++count_; }'
        self.assertEqual(named(body, 'throw removed'), [])
        self.assertEqual(named(body, 'guard removed'), ['count_ == 1'])


class Conditions(unittest.TestCase):
    def test_each_clause_of_a_chain_is_dropped(self):
        self.assertEqual(
            named('bool F(bool a, bool b) { return a && b && count_ == 1; }',
                  'clause dropped'), ['a', 'b', 'count_ == 1'])

    def test_clauses_in_a_lambda_count(self):
        self.assertEqual(
            named('auto F() { return [this](int a) { '
                  'return a == 1 || count_ == 2; }; }', 'clause dropped'),
            ['a == 1', 'count_ == 2'])

    def test_a_wait_loop_waits_once_and_never(self):
        body = ('void F() { typename P::Lock l(mutex_); '
                'while (count_ == 0) changed_.wait(l); }')
        self.assertEqual(named(body, 'waits once'), ['while (count_ == 0)'])
        self.assertEqual(named(body, 'never waits'), ['count_ == 0'])

    def test_a_declared_condition_is_understood(self):
        body = 'void F(int* q) { while (int* p = q) { ++count_; q = 0; } }'
        self.assertEqual(named(body, 'loop once'), ['while (int* p = q)'])

    def test_a_claim_is_skipped(self):
        body = ('bool F(int w) { if (word_.compare_exchange_weak(w, 1, '
                'P::relaxed)) return true;  // S2\n return false; }')
        self.assertEqual(len(named(body, 'claim skipped')), 1)

    def test_an_endless_loop_of_a_function_with_a_value_stays(self):
        self.assertEqual(named('int F() { for (;;) { if (count_) return 1; } }',
                               'loop once'), [])

    def test_what_the_compiler_evaluates_is_left_alone(self):
        self.assertEqual(
            forms('template <class T> int F() { static_assert(sizeof(T) < 9 '
                  '&& sizeof(T) > 1); if constexpr (sizeof(T) < 4) return 1; '
                  'return 2; }'), [])

    def test_a_boundary_moves_by_one(self):
        self.assertEqual(named('bool F() { return count_ < 3; }', 'boundary'),
                         ['count_ < 3: < -> <='])


if __name__ == '__main__':
    unittest.main()
