#include "strategies.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>

#include "event_loop.h"
#include "executor.h"
#include "machine.h"
#include "original_pools.h"
#include "pool/worker_pool.h"
#include "terminal.h"
#include "ycsb.h"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using Thread = std::function<void()>;

struct Client {
  YcsbTerminal terminal;
  TerminalRecord record;
};

// What the whole process has used until now.
struct Usage {
  Clock::time_point time = Clock::now();
  double cpu_us = 0;
  double voluntary = 0;
  double involuntary = 0;
  CpuTime machine = ReadCpuTime();

  Usage() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval& t) {
      return t.tv_sec * 1e6 + static_cast<double>(t.tv_usec);
    };
    cpu_us = us(usage.ru_utime) + us(usage.ru_stime);
    voluntary = static_cast<double>(usage.ru_nvcsw);
    involuntary = static_cast<double>(usage.ru_nivcsw);
  }
};

std::chrono::nanoseconds Seconds(double seconds) {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

std::deque<Client> MakeClients(std::uint32_t block, const RunContext& context) {
  std::deque<Client> clients;
  for (std::uint32_t i = 0; i < context.plan.terminals; ++i) {
    // Multiplied, so that seeds of different blocks and terminals cannot meet.
    const std::uint64_t seed =
        (context.plan.seed * 1'000'003 + block) * 1'000'003 + i;
    clients.push_back(
        {YcsbTerminal(context.engine, context.keys, seed), TerminalRecord{}});
  }
  return clients;
}

// Joins threads that may hang: a strategy that lost a task keeps its terminal
// waiting for ever.
void Join(std::vector<std::future<void>>& threads, const RunContext& context) {
  const auto patience = std::chrono::seconds(10) +
                        std::chrono::microseconds(context.plan.client_us);
  const auto deadline = Clock::now() + patience;
  for (auto& thread : threads) {
    if (!thread.valid()) continue;  // joined already
    if (thread.wait_until(deadline) != std::future_status::ready) {
      context.give_up(
          "a terminal still waits for its task, 10 s after the end of the run");
    }
    thread.get();
  }
}

struct Span {
  Usage begin;
  Usage end;
};

// Runs `bodies`, each in a thread, over warm-up and window. Closes the window
// and joins them also when interrupted.
Span Measure(const std::vector<Thread>& bodies, Window& window,
             const RunContext& context) {
  std::vector<std::future<void>> threads;
  try {
    for (const Thread& body : bodies) {
      threads.push_back(std::async(std::launch::async, body));
    }
    context.interrupts.WaitUntil(Clock::now() + Seconds(context.plan.warmup));
    const Usage begin;
    window.Enter(Window::Phase::kOpen);
    context.interrupts.WaitUntil(begin.time + Seconds(context.plan.seconds));
    const Usage end;
    window.Enter(Window::Phase::kClosed);
    Join(threads, context);
    window.RethrowFailure();
    return {begin, end};
  } catch (...) {
    window.Enter(Window::Phase::kClosed);
    Join(threads, context);
    throw;
  }
}

void CheckCounts(const Run& run) {
  const std::uint64_t tasks = run.tasks_executed;
  if (run.all_transactions == tasks && run.rows_verified == tasks) return;
  throw CheckFailed(fmt::format(
      "{}: {} transactions, {} tasks executed, {} rows verified", run.strategy,
      run.all_transactions, run.tasks_executed, run.rows_verified));
}

Run Summarise(const std::deque<Client>& clients, const Span& span,
              std::uint64_t tasks_executed) {
  Run run;
  Histogram latency;
  for (const Client& client : clients) {
    latency.Merge(client.record.latency);
    run.all_transactions += client.record.transactions;
    run.rows_verified += client.terminal.RowsVerified();
  }
  run.tasks_executed = tasks_executed;
  run.seconds =
      std::chrono::duration<double>(span.end.time - span.begin.time).count();
  run.transactions = latency.Count();
  const auto count =
      static_cast<double>(std::max<std::uint64_t>(1, run.transactions));
  run.tps = static_cast<double>(run.transactions) / run.seconds;
  run.cpu_us = (span.end.cpu_us - span.begin.cpu_us) / count;
  run.voluntary_switches = (span.end.voluntary - span.begin.voluntary) / count;
  run.involuntary_switches =
      (span.end.involuntary - span.begin.involuntary) / count;
  run.p50_us = latency.Percentile(50) / 1000;
  run.p95_us = latency.Percentile(95) / 1000;
  run.p99_us = latency.Percentile(99) / 1000;
  run.p999_us = latency.Percentile(99.9) / 1000;
  run.max_us = static_cast<double>(latency.Max()) / 1000;
  const auto ticks =
      static_cast<double>(span.end.machine.total - span.begin.machine.total);
  const auto stolen =
      static_cast<double>(span.end.machine.steal - span.begin.machine.steal);
  run.steal = ticks > 0 ? stolen / ticks : 0;
  return run;
}

// By default the kernel may fire a thread's timers 50 us late, which would
// stretch a client's pause. Only for threads of terminals: a pool is measured
// with the slack its users get, and new threads inherit it from their creator.
void UsePreciseTimers() { prctl(PR_SET_TIMERSLACK, 1); }

// Starts the pool and, whatever happens, shuts it down before the event loop it
// posts to is gone.
template <class Pool>
class RunningPool {
 public:
  explicit RunningPool(std::uint32_t workers) : pool_("ycsb", workers) {
    pool_.Startup();
  }
  ~RunningPool() { pool_.Shutdown(); }
  Pool& Get() { return pool_; }

 private:
  Pool pool_;
};

// One event loop serves all terminals; the pool's workers execute their
// statements.
template <class Pool>
Run RunWithPool(std::uint32_t block, const RunContext& context) {
  std::deque<Client> clients = MakeClients(block, context);
  const auto client_time = std::chrono::microseconds(context.plan.client_us);
  TaskCounter executed(context.plan.workers);
  EventLoop loop;
  Window window;
  const auto measure = [&] {
    RunningPool<Pool> pool(context.plan.workers);
    PoolExecutor executor(pool.Get(), loop, executed);
    const auto serve = [&] {
      UsePreciseTimers();
      std::vector<Coroutine> terminals;
      for (Client& client : clients) {
        terminals.push_back(RunTerminal(executor, client.terminal, client_time,
                                        window, client.record));
      }
      loop.Run([&, running = clients.begin()]() mutable {
        while (running != clients.end() && running->record.ended) ++running;
        return running == clients.end();
      });
    };
    return Measure({serve}, window, context);
  };
  const Span span = measure();
  return Summarise(clients, span, executed.Total());
}

// The ceiling: every terminal is a thread that executes its statements itself.
Run RunWithoutPool(std::uint32_t block, const RunContext& context) {
  std::deque<Client> clients = MakeClients(block, context);
  const auto client_time = std::chrono::microseconds(context.plan.client_us);
  TaskCounter executed(context.plan.terminals);
  InlineExecutor executor(executed);
  Window window;
  std::vector<Thread> bodies;
  for (Client& client : clients) {
    bodies.push_back([&executor, &client, &window, client_time] {
      UsePreciseTimers();
      RunTerminal(executor, client.terminal, client_time, window, client.record)
          .await_resume();
    });
  }
  const Span span = Measure(bodies, window, context);
  return Summarise(clients, span, executed.Total());
}

struct Strategy {
  std::string name;
  Run (*run)(std::uint32_t block, const RunContext& context);
};

const std::vector<Strategy>& Strategies() {
  static const std::vector<Strategy> strategies = {
      {"backoff", RunWithPool<workerpool::BackoffWorkerPool>},
      {"condvar", RunWithPool<workerpool::CondVarWorkerPool>},
      {"original-backoff", RunWithPool<OriginalBackoffPool>},
      {"original-condvar", RunWithPool<OriginalCondVarPool>},
      {"none", RunWithoutPool},
  };
  return strategies;
}

}  // namespace

const std::vector<std::string>& StrategyNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Strategy& strategy : Strategies())
      result.push_back(strategy.name);
    return result;
  }();
  return names;
}

Run RunStrategy(const std::string& strategy, std::uint32_t block,
                const RunContext& context) {
  const auto found =
      std::find_if(Strategies().begin(), Strategies().end(),
                   [&](const Strategy& s) { return s.name == strategy; });
  if (found == Strategies().end())
    throw std::invalid_argument("unknown strategy " + strategy);
  Run run = found->run(block, context);
  run.block = block;
  run.strategy = strategy;
  CheckCounts(run);
  return run;
}

}  // namespace bench
