// A pool of a few lines for models of lifecycle faults. It is right as it
// stands; each fault is one part of it left out.
#pragma once

#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "naive.h"

namespace models {

struct Parts {
  bool accepts_in_one_step = true;  // tests the state where it queues
  bool runs_what_it_took = true;
  bool stays_for_children = true;  // leaves when all is done, not when the
                                   // queue is empty
  bool awaits_the_drain = true;    // before it starts again
  bool undoes_a_failed_start = true;
  bool refuses_its_own_tasks = true;  // to wait for themselves
  bool needs_a_worker = true;
};

struct NoWorkers {};

template <Parts kParts>
class NaivePool {
  using P = NaivePlatform;

 public:
  explicit NaivePool(unsigned workers) : workers_(workers) {
    if (kParts.needs_a_worker && workers == 0) throw NoWorkers();
  }

  void Startup() {
    P::Lock lock(mutex_);
    while (kParts.awaits_the_drain && draining_.Read()) changed_.wait(lock);
    if (open_.Read()) return;
    open_.Write() = true;
    try {
      for (unsigned i = 0; i != workers_; ++i) {
        threads_.emplace_back("worker", [this] { Work(); });
      }
    } catch (const NoThread&) {
      lock.unlock();
      if (kParts.undoes_a_failed_start) Shutdown();
      throw;
    }
  }

  bool Submit(std::function<void()> task) {
    {
      P::Lock lock(mutex_);
      if (!open_.Read() && !IsOwn()) return false;
      if (!kParts.accepts_in_one_step) {
        lock.unlock();
        lock.lock();
      }
      ++pending_.Write();
      queue_.Write().push_back(std::move(task));
    }
    wakeup_.notify_one();
    return true;
  }

  // Returns whether it has waited.
  bool Shutdown() {
    if (kParts.refuses_its_own_tasks && IsOwn()) return false;
    std::vector<P::Thread> leaving;
    {
      P::Lock lock(mutex_);
      if (!open_.Read()) return true;
      open_.Write() = false;
      draining_.Write() = true;
      leaving.swap(threads_);
    }
    wakeup_.notify_all();
    for (auto& thread : leaving) thread.join();
    {
      P::Lock lock(mutex_);
      draining_.Write() = false;
    }
    changed_.notify_all();
    return true;
  }

  bool WaitIdle() {
    if (kParts.refuses_its_own_tasks && IsOwn()) return false;
    P::Lock lock(mutex_);
    while (pending_.Read() != 0) changed_.wait(lock);
    return true;
  }

 private:
  bool IsOwn() const { return is_worker_[P::ThisThread()]; }

  bool MayLeave() const {
    return !open_.Read() &&
           (!kParts.stays_for_children || pending_.Read() == 0);
  }

  void Work() {
    is_worker_[P::ThisThread()] = true;
    std::function<void()> task;
    while (Take(task)) {
      task();
      {
        P::Lock lock(mutex_);
        --pending_.Write();
      }
      wakeup_.notify_all();
      changed_.notify_all();
    }
  }

  // False: this worker leaves.
  bool Take(std::function<void()>& task) {
    P::Lock lock(mutex_);
    while (queue_.Read().empty() && !MayLeave()) wakeup_.wait(lock);
    if (queue_.Read().empty()) return false;
    task = std::move(queue_.Write().front());
    queue_.Write().pop_front();
    return kParts.runs_what_it_took || open_.Read();
  }

  const unsigned workers_;
  P::Mutex mutex_;  // guards the five below
  P::Var<bool> open_{false};
  P::Var<bool> draining_{false};
  P::Var<unsigned> pending_{0u};
  P::Var<std::deque<std::function<void()>>> queue_;
  std::vector<P::Thread> threads_;
  P::CondVar wakeup_, changed_;
  // Plain: a thread finds and sets its own element alone.
  bool is_worker_[World::kMaxThreads + 1] = {};
};

}  // namespace models
