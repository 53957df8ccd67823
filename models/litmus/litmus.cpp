// Runs the litmus tests of a text file under Relacy and prints for each what
// two searches showed of the outcome asked for: a line "NAME tree random" with
// "allowed" (shown), "forbidden" (never shown) or "race". What C++20 says is
// oracle.py's to tell.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"
#include "read_tests.h"

namespace models {
namespace {

constexpr std::uint64_t kRandom = 50'000;  // executions at most
constexpr std::uint64_t kChunk = 1'000;    // between two looks at the outcome

// The test that is running, and whether its outcome was seen. Outside of the
// suite, as no allocation made inside an execution may outlive it.
const Test* test = nullptr;
bool shown = false;

// Interprets the test. An operation is one step of the search, as in models of
// code: the interpreter itself touches nothing that Relacy watches.
template <unsigned kThreads>
struct Litmus : Model<Litmus<kThreads>, kThreads> {
  rl::atomic<int> words[kWords];
  rl::var<int> fields[kFields];
  rl::mutex mutexes[kMutexes];
  int registers[kRegisters] = {};
  bool ended[kThreads] = {};

  static rl::debug_info Here(WORKERPOOL_WHERE) { return At(file, line); }

  void Prepare() {
    for (unsigned i = 0; i != kWords; ++i) {
      words[i].store(test->words_at_first[i], rl::mo_relaxed, Here());
    }
    for (unsigned i = 0; i != kFields; ++i) {
      fields[i](Here()) = test->fields_at_first[i];
    }
  }

  void Run(unsigned index) {
    for (const Operation& operation : test->threads[index]) {
      if (operation.kind == "when" && !Hold(operation.conditions)) return;
      if (operation.kind == "lock") {
        mutexes[operation.place].lock(Here());
      } else if (operation.kind == "unlock") {
        mutexes[operation.place].unlock(Here());
      } else if (operation.kind == "pause") {
        rl::yield(1, Here());
      } else if (operation.kind == "fence") {
        rl::atomic_thread_fence(operation.order, Here());
      } else if (operation.kind != "when") {
        const int value = Access(operation);
        if (operation.result >= 0) registers[operation.result] = value;
      }
    }
    ended[index] = true;
  }

  int Access(const Operation& operation) {
    const std::string& kind = operation.kind;
    auto& word = words[operation.place];
    auto& field = fields[operation.place];
    const int value = operation.value;
    const rl::memory_order order = operation.order;
    if (kind == "load") return word.load(order, Here());
    if (kind == "add") return word.fetch_add(value, order, Here());
    if (kind == "or") return word.fetch_or(value, order, Here());
    if (kind == "and") return word.fetch_and(value, order, Here());
    if (kind == "exchange") return word.exchange(value, order, Here());
    if (kind == "read") return static_cast<int>(field(Here()));
    if (kind == "write") {
      field(Here()) = value;
    } else if (kind == "store") {
      word.store(value, order, Here());
    } else if (kind == "cas") {
      int expected = operation.expected;
      word.compare_exchange_strong(expected, value, order, Here(),
                                   operation.failure, Here());
      return expected;  // the value before, either way
    } else {
      rl::ctx().fail_test("not an operation",
                          rl::test_result_inconsistent_test_suite, Here());
    }
    return 0;
  }

  void after() {
    if (std::all_of(ended, ended + kThreads, [](bool end) { return end; }) &&
        !test->ask.empty() && Hold(test->ask)) {
      shown = true;
    }
  }

  bool Hold(const std::vector<Condition>& conditions) {
    return std::all_of(conditions.begin(), conditions.end(),
                       [this](const Condition& condition) {
                         return (Value(condition) == condition.value) ==
                                condition.equal;
                       });
  }

  int Value(const Condition& condition) {
    const unsigned index = condition.index;
    if (condition.of == Condition::kRegister) return registers[index];
    if (condition.of == Condition::kField) return fields[index](Here());
    return words[index].load(rl::mo_relaxed, Here());
  }
};

const char* Verdict(rl::test_result_e result) {
  if (result == rl::test_result_data_race) return "race";
  if (result != rl::test_result_success) {
    throw std::runtime_error(std::string("Relacy says: ") +
                             rl::test_result_str(result));
  }
  return shown ? "allowed" : "forbidden";
}

template <unsigned kThreads>
const char* Tree() {
  rl::ostringstream ignored;
  rl::test_params params;
  params.output_stream = &ignored;
  params.progress_stream = &ignored;
  params.search_type = rl::sched_full;
  shown = false;
  return Verdict(
      RunUnder<Litmus<kThreads>, rl::full_search_scheduler>(params, false)
          .result);
}

// Ends as soon as the outcome is seen.
template <unsigned kThreads>
const char* Random() {
  shown = false;
  const char* verdict = "";
  for (std::uint64_t first = 1; first < kRandom && !shown; first += kChunk) {
    const Search search{.random = true, .executions = kChunk, .first = first};
    verdict = Verdict(RunModel<Litmus<kThreads>>(search, false).result);
    if (std::string(verdict) == "race") break;
  }
  return verdict;
}

template <unsigned kThreads>
void Show() {
  const char* tree = Tree<kThreads>();
  std::printf("%s %s %s\n", test->name.c_str(), tree, Random<kThreads>());
  std::fflush(stdout);
}

void ShowTest(const Test& chosen) {
  test = &chosen;
  switch (chosen.threads.size()) {
    case 1:
      return Show<1>();
    case 2:
      return Show<2>();
    case 3:
      return Show<3>();
    case 4:
      return Show<4>();
  }
  throw std::invalid_argument("not one to four threads");
}

int ShowFile(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  for (const Test& chosen : ReadTests(file)) {
    try {
      ShowTest(chosen);
    } catch (const std::exception& error) {
      throw std::runtime_error(chosen.name + ": " + error.what());
    }
  }
  return 0;
}

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: model_litmus FILE\n");
    return 2;
  }
  try {
    return models::ShowFile(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}
