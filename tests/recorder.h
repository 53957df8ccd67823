// Recorder hands out tasks with an identity and knows afterwards which were
// accepted, which were refused, and how often each ran.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace workerpool_test {

class Recorder {
 public:
  explicit Recorder(std::size_t most_tasks) : tasks_(most_tasks) {}

  // A new task that runs `inside` when it runs.
  template <class Inside>
  auto NewTask(Inside inside) {
    return RecordedTask<Inside>{this, next_.fetch_add(1), inside};
  }

  void Accepted(std::size_t id) { tasks_[id].accepted = true; }

  bool HasRoom(std::size_t tasks) const {
    return next_.load() + tasks <= tasks_.size();
  }

  std::size_t AcceptedCount() const {
    std::size_t count = 0;
    for (const State& task : tasks_) count += task.accepted;
    return count;
  }

  // Tasks that ran twice, or were refused and ran.
  std::size_t Wrong() const {
    std::size_t count = 0;
    for (const State& task : tasks_) count += task.runs > task.accepted;
    return count;
  }

  // Accepted tasks that did not run: held, or dropped.
  std::size_t Unrun() const {
    std::size_t count = 0;
    for (const State& task : tasks_) count += task.runs < task.accepted;
    return count;
  }

 private:
  template <class Inside>
  struct RecordedTask {
    Recorder* recorder;
    std::size_t id;
    Inside inside;
    void operator()() {
      ++recorder->tasks_[id].runs;
      inside();
    }
  };

  struct State {
    std::atomic<int> runs{0};
    std::atomic<int> accepted{0};
  };

  std::vector<State> tasks_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace workerpool_test
