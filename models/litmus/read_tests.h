// Reads litmus tests; program.py describes the format, and says more clearly
// what is wrong with a line.
#pragma once

#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../relacy_world.h"

namespace models {

inline constexpr unsigned kWords = 4;    // atomic locations of a test
inline constexpr unsigned kFields = 4;   // plain ones
inline constexpr unsigned kMutexes = 2;  // mutexes
inline constexpr unsigned kRegisters = 8;

struct Condition {
  enum Of { kRegister, kWord, kField } of;
  unsigned index;
  bool equal;
  int value;
  std::string name = {};
};

struct Operation {
  std::string kind;
  unsigned place = 0;  // of the word, field or mutex
  int value = 0;
  int expected = 0;
  rl::memory_order order = rl::mo_relaxed;
  rl::memory_order failure = rl::mo_relaxed;
  int result = -1;  // register; -1: none
  std::vector<Condition> conditions = {};
};

// Names, numbered as they appear.
class Names {
 public:
  Names(const char* of, unsigned most) : of_(of), most_(most) {}

  unsigned Number(const std::string& name) {
    if (!numbers_.contains(name) && numbers_.size() == most_) {
      throw std::invalid_argument(std::string("too many ") + of_);
    }
    return numbers_.emplace(name, numbers_.size()).first->second;
  }
  bool Has(const std::string& name) const { return numbers_.contains(name); }

 private:
  const char* of_;
  unsigned most_;
  std::map<std::string, unsigned> numbers_;
};

struct Test {
  std::string name;
  Names words{"atomic locations", kWords}, fields{"plain locations", kFields};
  Names mutexes{"mutexes", kMutexes}, registers{"registers", kRegisters};
  int words_at_first[kWords] = {};
  int fields_at_first[kFields] = {};
  std::vector<std::vector<Operation>> threads;
  std::vector<Condition> ask;
  std::vector<Condition> init;
};

inline rl::memory_order OrderOf(const std::string& name) {
  static const std::map<std::string, rl::memory_order> orders = {
      {"relaxed", rl::mo_relaxed},
      {"acquire", rl::mo_acquire},
      {"release", rl::mo_release},
      {"acq_rel", rl::mo_acq_rel},
      {"seq_cst", rl::mo_seq_cst}};
  const auto found = orders.find(name);
  if (found == orders.end()) throw std::invalid_argument("no order: " + name);
  return found->second;
}

inline rl::memory_order FailureOrder(rl::memory_order order) {
  if (order == rl::mo_acq_rel) return rl::mo_acquire;
  return order == rl::mo_release ? rl::mo_relaxed : order;
}

inline std::vector<Condition> Conditions(std::istream& words) {
  std::vector<Condition> conditions;
  for (std::string word; words >> word;) {
    if (word == "race") continue;
    const auto sign = word.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw std::invalid_argument("not a condition: " + word);
    }
    const bool equal = word[sign - 1] != '!';
    conditions.push_back({Condition::kRegister, 0, equal,
                          std::stoi(word.substr(sign + 1)),
                          word.substr(0, equal ? sign : sign - 1)});
  }
  return conditions;
}

// Once all names are known.
inline void Resolve(Test& test, std::vector<Condition>& conditions) {
  for (Condition& condition : conditions) {
    const std::string& name = condition.name;
    condition.of = test.words.Has(name)    ? Condition::kWord
                   : test.fields.Has(name) ? Condition::kField
                                           : Condition::kRegister;
    condition.index = condition.of == Condition::kWord ? test.words.Number(name)
                      : condition.of == Condition::kField
                          ? test.fields.Number(name)
                          : test.registers.Number(name);
  }
}

inline void ReadOrder(std::istream& words, Operation& operation) {
  std::string word;
  words >> word;
  const auto slash = word.find('/');
  operation.order = OrderOf(word.substr(0, slash));
  operation.failure = slash == std::string::npos
                          ? FailureOrder(operation.order)
                          : OrderOf(word.substr(slash + 1));
}

inline Operation ReadOperation(Test& test, std::istream& words) {
  Operation operation;
  words >> operation.kind;
  const std::string& kind = operation.kind;
  if (kind == "when") {
    operation.conditions = Conditions(words);
    return operation;
  }
  if (kind == "pause") return operation;
  if (kind == "fence") {
    ReadOrder(words, operation);
    return operation;
  }
  const bool plain = kind == "read" || kind == "write";
  const bool mutex = kind == "lock" || kind == "unlock";
  std::string place;
  words >> place;
  Names& names = plain ? test.fields : mutex ? test.mutexes : test.words;
  operation.place = names.Number(place);
  if (mutex) return operation;
  if (kind == "cas") words >> operation.expected;
  if (kind != "load" && kind != "read") words >> operation.value;
  if (!plain) ReadOrder(words, operation);
  if (!words) throw std::invalid_argument("incomplete: " + kind + " " + place);
  if (std::string name; words >> name) {
    operation.result = static_cast<int>(test.registers.Number(name));
  }
  return operation;
}

inline std::vector<Operation> ReadThread(Test& test, std::istream& words) {
  std::vector<Operation> thread;
  for (std::string text; std::getline(words, text, ';');) {
    std::istringstream operation(text);
    thread.push_back(ReadOperation(test, operation));
  }
  return thread;
}

inline std::vector<Test> ReadTests(std::istream& file) {
  std::vector<Test> tests;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string keyword;
    words >> keyword;
    if (keyword == "test") {
      words >> tests.emplace_back().name;
      continue;
    }
    if (tests.empty()) continue;
    Test& test = tests.back();
    if (keyword == "thread") test.threads.push_back(ReadThread(test, words));
    if (keyword == "ask") test.ask = Conditions(words);
    if (keyword == "init") test.init = Conditions(words);
  }
  for (Test& test : tests) {
    Resolve(test, test.ask);
    for (auto& thread : test.threads) {
      for (Operation& operation : thread) Resolve(test, operation.conditions);
    }
    Resolve(test, test.init);
    for (const Condition& value : test.init) {
      (value.of == Condition::kWord ? test.words_at_first
                                    : test.fields_at_first)[value.index] =
          value.value;
    }
  }
  return tests;
}

}  // namespace models
