// Check runs the models of one program and owns the exit status: 0 only if
// every search ended as its model expects.
//
// A model is a struct derived from Model that names its property and bounds.
// Each search of it runs in a child process, so a crash or a hang is a verdict
// like any other. A search that its time limit ended is "not exhausted", never
// "passed" in the sense of a proof.
#pragma once

#include <string>
#include <vector>

#include "relacy_platform.h"

namespace models {

// Which cell of the table "model x strategy x workers x submitters" a model is.
struct Cell {
  const char* strategy = "";
  unsigned workers = 0;
  unsigned submitters = 0;  // 0: it is not about submitting
};

// How far `make models` and `make check` take a model.
struct Plan {
  // The tree search with this many preemptions must be exhausted; 0: none need
  // be. The quick one is part of `make check`.
  unsigned quick_bound = 2;
  unsigned bound = 2;
  // A tree search with this many, as far as the time limit carries it; 0: none.
  unsigned beyond = 3;
  std::uint64_t random = 100'000;  // executions of the random search
};

// One search over one model, as the child ran it.
struct Search {
  bool random = false;
  bool deepen = false;           // a tree search with bound 0, 1, 2 ... in turn
  unsigned bound = 0;            // of a tree search: preemptions
  std::uint64_t executions = 0;  // of a random search: how many
  std::uint64_t first = 1;       // of a random search: where it starts
  double cpu_seconds = 0;        // limit; 0: none
  bool must_exhaust = false;
};

struct Outcome {
  rl::test_result_e result = rl::test_result_success;
  std::uint64_t executions = 0;
  bool exhausted = false;  // a tree search saw its whole tree
  int deepest = -1;        // of a deepening one: the last bound it exhausted
  bool whole = false;      // more preemptions would show nothing else
  std::string history;     // of the failing execution, if asked for
};

struct Entry {
  std::string name;
  std::string property;
  std::string bounds;
  rl::test_result_e expected;
  Plan plan;
  Cell cell;
  Outcome (*run)(const Search&, bool with_history);
};

// Called at the start of every execution: counts it, and ends the process with
// what has been seen when the time limit is reached.
void ExecutionBegins();

// A deepening search has got so far; kept in case its time limit is reached.
void Deepened(const Outcome& outcome);

// Base of a model. Derived gives Name(), kProperty, kBounds and Run(index), and
// may give Prepare() (runs before the threads start), kExpected and kPlan.
template <class Derived, unsigned kThreads, unsigned kWorkers = 0>
struct Model : rl::test_suite<Derived, static_cast<rl::thread_id_t>(kThreads)> {
  static constexpr rl::thread_id_t dynamic_thread_count =
      static_cast<rl::thread_id_t>(kWorkers);
  static constexpr rl::test_result_e kExpected = rl::test_result_success;
  static constexpr Plan kPlan{};
  static constexpr Cell kCell{};

  static_assert(kThreads + kWorkers <= World::kMaxThreads);

  void before() {
    ExecutionBegins();
    World::Reset(kWorkers);
    static_cast<Derived*>(this)->Prepare();
  }
  void Prepare() {}
  void thread(unsigned index) {
    KeepsExceptions::StartFiber();
    static_cast<Derived*>(this)->Run(index);
  }
};

template <class M, template <rl::thread_id_t> class Scheduler>
Outcome RunUnder(rl::test_params& params, bool with_history) {
  using Scheduled = Scheduler<M::params::thread_count>;
  rl::ostringstream state;
  Outcome outcome;
  outcome.result = rl::run_test<M, Scheduled>(params, state, false);
  outcome.executions = params.stop_iteration;
  if (outcome.result != rl::test_result_success && with_history) {
    // Not a std::ostringstream: its strings would be freed by Relacy.
    rl::ostringstream history;
    params.initial_state = state.str();
    params.collect_history = true;
    params.output_stream = &history;
    rl::run_test<M, Scheduled>(params, state, true);
    outcome.history = history.str().c_str();
  }
  return outcome;
}

template <class M>
Outcome RunTree(rl::test_params params, unsigned bound, bool with_history) {
  params.search_type = rl::sched_bound;
  params.context_bound = bound;
  Outcome outcome =
      RunUnder<M, rl::context_bound_scheduler>(params, with_history);
  outcome.exhausted = outcome.result == rl::test_result_success;
  return outcome;
}

// Ends with a failure, with the whole tree, or by the search's time limit.
template <class M>
Outcome RunDeepening(const rl::test_params& params) {
  Outcome last;
  for (unsigned bound = 0; !last.whole; ++bound) {
    Outcome outcome = RunTree<M>(params, bound, false);
    outcome.deepest = static_cast<int>(bound) - (outcome.exhausted ? 0 : 1);
    if (!outcome.exhausted) return outcome;
    outcome.whole = outcome.executions == last.executions;
    Deepened(outcome);
    last = outcome;
  }
  return last;
}

template <class M>
Outcome RunModel(const Search& search, bool with_history) {
  rl::ostringstream ignored;
  rl::test_params params;
  params.output_stream = &ignored;
  params.progress_stream = &ignored;
  params.execution_depth_limit = 20'000;
  if (search.deepen) return RunDeepening<M>(params);
  if (!search.random) return RunTree<M>(params, search.bound, with_history);
  params.search_type = rl::sched_random;
  params.iteration_count = search.first + search.executions - 1;
  params.initial_state = std::to_string(search.first).c_str();
  params.initial_state += " ";
  Outcome outcome = RunUnder<M, rl::random_scheduler>(params, with_history);
  outcome.executions -= search.first - 1;
  return outcome;
}

int CheckEntries(const std::vector<Entry>& entries, int argc, char** argv);

template <class... Models>
int Check(int argc, char** argv) {
  return CheckEntries(
      {{Models::Name(), Models::kProperty, Models::kBounds, Models::kExpected,
        Models::kPlan, Models::kCell, &RunModel<Models>}...},
      argc, argv);
}

}  // namespace models
