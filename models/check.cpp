#include "check.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "kept_searches.h"

namespace models {
namespace {

using Json = nlohmann::json;

struct Options {
  std::string program;
  std::string mode = "standard";  // or quick, or full: the grid, deepening
  std::string only;
  std::string json_file;
  std::string kept_file;
  std::size_t later = 0;  // searches of the programs that come after this one
  std::string search;     // of a replay: bound:N or random
  std::uint64_t iteration = 1;
  double seconds = 0;  // 0: as the mode has it
  unsigned jobs = 2;
  bool list = false;
};

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         static_cast<double>(now.tv_nsec) * 1e-9;
}

// What a child shares with ExecutionBegins.
struct Progress {
  std::uint64_t executions = 0;
  double cpu_limit = 0;  // 0: none
  int result_pipe = -1;
  Outcome deepened;
} progress;

double Seconds(const Options& options) {
  if (options.seconds != 0) return options.seconds;
  return options.mode == "full" ? 20 : 10;
}

Json Record(const Outcome& outcome) {
  return {{"result", rl::test_result_str(outcome.result)},
          {"executions", outcome.executions},
          {"exhausted", outcome.exhausted},
          {"deepest", outcome.deepest},
          {"whole", outcome.whole},
          {"cpu_seconds", CpuSeconds()}};
}

void WriteRecord(const Json& record) {
  const std::string text = record.dump();
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n =
        write(progress.result_pipe, text.data() + done, text.size() - done);
    if (n <= 0) _exit(3);
    done += static_cast<std::size_t>(n);
  }
}

std::string SearchName(const Search& search) {
  if (search.deepen) return "deepening";
  return search.random ? "random" : "bound:" + std::to_string(search.bound);
}

// The searches of one model in a mode. If the model must fail, every tree
// search must find the fault; the random one may miss it, but not all
// (FailUnfound).
std::vector<Search> Searches(const Entry& entry, const Options& options) {
  const Plan& plan = entry.plan;
  if (options.mode == "full") {
    return {{.deepen = true, .cpu_seconds = Seconds(options)},
            {.random = true, .executions = plan.random}};
  }
  const bool quick = options.mode == "quick";
  const bool must_fail = entry.expected != rl::test_result_success;
  std::vector<Search> searches;
  const unsigned bound = quick ? plan.quick_bound : plan.bound;
  if (bound != 0) {
    // A limit here too: a fault may make the tree endless.
    searches.push_back({.bound = bound,
                        .cpu_seconds = 5 * Seconds(options),
                        .must_exhaust = !must_fail});
  }
  if (!quick && plan.beyond != 0) {
    searches.push_back({.bound = plan.beyond, .cpu_seconds = Seconds(options)});
  }
  if (plan.random != 0) {
    searches.push_back(
        {.random = true,
         .executions = quick ? std::min<std::uint64_t>(plan.random, 20'000)
                             : plan.random});
  }
  return searches;
}

struct Job {
  Job(const Entry& what, const Search& how) : entry(&what), search(how) {}

  const Entry* entry;
  Search search;
  pid_t pid = -1;
  int pipe = -1;
  std::string text;
  std::chrono::steady_clock::time_point started{};
  Json record;
  bool passed = false;
};

[[noreturn]] void RunChild(const Job& job) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // no search outlives its runner
  progress.cpu_limit = job.search.cpu_seconds;
  WriteRecord(Record(job.entry->run(job.search, false)));
  _exit(0);
}

void Start(Job& job) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("cannot create a pipe");
  std::fflush(nullptr);
  job.started = std::chrono::steady_clock::now();
  job.pid = fork();
  if (job.pid < 0) throw std::runtime_error("cannot create a process");
  if (job.pid == 0) {
    close(ends[0]);
    progress.result_pipe = ends[1];
    RunChild(job);
  }
  close(ends[1]);
  job.pipe = ends[0];
}

// Why a search did not end as expected; empty if it did.
std::string Complaint(const Job& job, int status) {
  if (WIFSIGNALED(status)) {
    return WTERMSIG(status) == SIGKILL
               ? "no result: hung, ended by the alarm"
               : std::string("no result: ") + strsignal(WTERMSIG(status));
  }
  if (job.record.is_null()) return "no result";
  const std::string result = job.record["result"];
  const std::string expected = rl::test_result_str(job.entry->expected);
  // A sample may miss; FailUnfound sees to it that not every search does.
  const bool may_miss =
      job.search.random && job.entry->expected != rl::test_result_success;
  if (result != expected && !(may_miss && result == "SUCCESS")) {
    return "expected " + expected + ", found " + result;
  }
  if (job.search.must_exhaust && !job.record["exhausted"]) {
    return "not exhausted";
  }
  return "";
}

void PrintReplay(const Job& job, const Options& options) {
  Search search = job.search;
  if (search.deepen) {  // it failed one beyond the last that it exhausted
    const int deepest = job.record.is_null() ? -1 : int{job.record["deepest"]};
    search = {.bound = static_cast<unsigned>(deepest + 1)};
  }
  std::printf("  make replay MODEL=%s CHECK='%s' SEARCH=%s",
              options.program.c_str(), job.entry->name.c_str(),
              SearchName(search).c_str());
  if (job.search.random && !job.record.is_null()) {
    std::printf(" ITERATION=%llu",
                static_cast<unsigned long long>(
                    job.search.first - 1 +
                    job.record["executions"].get<std::uint64_t>()));
  }
  std::printf("\n");
}

const char* Verdict(const Job& job) {
  if (!job.passed) return "FAILED";
  const bool failed = job.record["result"] != "SUCCESS";
  if (failed) return "fails, as it must";
  if (job.entry->expected != rl::test_result_success) return "not found";
  return "passed";
}

// Shows on stderr how far a run is. Searches differ, so the time left is a
// guess by those that have ended.
class Countdown {
 public:
  Countdown(const Options& options, std::size_t kept, std::size_t total)
      : options_(options), kept_(kept), total_(total) {}

  void Step(const Job& job) {
    const std::chrono::duration<double> elapsed = Clock::now() - start_;
    const std::size_t left = total_ - kept_ - ++ended_ + options_.later;
    const double minutes = elapsed.count() / 60 * static_cast<double>(left) /
                           static_cast<double>(ended_);
    std::fprintf(stderr, "[%s %zu/%zu, %.0f min left] %s, %s: %s\n",
                 options_.program.c_str(), kept_ + ended_, total_,
                 std::ceil(minutes), job.entry->name.c_str(),
                 SearchName(job.search).c_str(), Verdict(job));
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Options& options_;
  const std::size_t kept_;
  const std::size_t total_;
  const Clock::time_point start_ = Clock::now();
  std::size_t ended_ = 0;
};

void Finish(Job& job, const Options& options) {
  int status = 0;
  close(job.pipe);
  waitpid(job.pid, &status, 0);
  job.record = Json::parse(job.text, nullptr, false);
  if (job.record.is_discarded()) job.record = Json();
  const std::string complaint = Complaint(job, status);
  job.passed = complaint.empty();
  if (!job.passed) {
    std::printf("FAILED %s: %s\n", job.entry->name.c_str(), complaint.c_str());
    PrintReplay(job, options);
  }
}

// A generous hang alarm: within an execution Relacy bounds the number of
// steps, so only a fault of a model or of the tool gets here.
bool Overdue(const Job& job) {
  const auto allowed = std::chrono::seconds(900);
  return std::chrono::steady_clock::now() - job.started > allowed;
}

// Runs the jobs, `options.jobs` at a time; `ended` hears of each.
void RunAll(const std::vector<Job*>& jobs, const Options& options,
            const std::function<void(const Job&)>& ended) {
  std::vector<Job*> running;
  std::size_t next = 0;
  while (next != jobs.size() || !running.empty()) {
    while (next != jobs.size() && running.size() < options.jobs) {
      Start(*jobs[next]);
      running.push_back(jobs[next++]);
    }
    std::vector<pollfd> ends;
    for (const Job* job : running) ends.push_back({job->pipe, POLLIN, 0});
    poll(ends.data(), ends.size(), 1000);
    for (std::size_t i = 0; i != ends.size(); ++i) {
      Job& job = *running[i];
      if (Overdue(job)) kill(job.pid, SIGKILL);
      if ((ends[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      char buffer[4096];
      const ssize_t n = read(job.pipe, buffer, sizeof buffer);
      if (n > 0) {
        job.text.append(buffer, static_cast<std::size_t>(n));
      } else {
        Finish(job, options);
        ended(job);
        running[i] = nullptr;
      }
    }
    std::erase(running, nullptr);
  }
}

// Runs those that are not known from an interrupted run.
void RunUnknown(std::vector<Job>& jobs, const Options& options) {
  KeptSearches kept(options.kept_file);
  std::vector<Job*> unknown;
  for (Job& job : jobs) {
    job.record = kept.Find(job.entry->name, SearchName(job.search));
    job.passed = !job.record.is_null();
    if (!job.passed) unknown.push_back(&job);
  }
  const std::size_t known = jobs.size() - unknown.size();
  if (known != 0) {
    std::fprintf(stderr, "%s: %zu of %zu searches are known already\n",
                 options.program.c_str(), known, jobs.size());
  }
  Countdown countdown(options, known, jobs.size());
  RunAll(unknown, options, [&](const Job& job) {
    countdown.Step(job);
    if (!job.passed) return;
    kept.Keep(job.entry->name, SearchName(job.search), job.record);
  });
}

// A model that must fail and that no search of this run has made fail checks
// nothing, so all its searches count as failed.
void FailUnfound(std::vector<Job>& jobs) {
  for (Job& job : jobs) {
    if (job.entry->expected == rl::test_result_success) continue;
    const auto found = [&](const Job& other) {
      return other.entry == job.entry && !other.record.is_null() &&
             other.record["result"] == rl::test_result_str(job.entry->expected);
    };
    if (!job.passed || std::ranges::any_of(jobs, found)) continue;
    job.passed = false;
    std::printf("FAILED %s: expected %s, which no search has found\n",
                job.entry->name.c_str(),
                rl::test_result_str(job.entry->expected));
  }
}

Json Row(const Job& job, const Options& options) {
  Json row = {{"model", options.program},
              {"check", job.entry->name},
              {"property", job.entry->property},
              {"bounds", job.entry->bounds},
              {"strategy", job.entry->cell.strategy},
              {"workers", job.entry->cell.workers},
              {"submitters", job.entry->cell.submitters},
              {"search", SearchName(job.search)},
              {"expected", rl::test_result_str(job.entry->expected)},
              {"verdict", Verdict(job)}};
  if (!job.record.is_null()) row.update(job.record);
  return row;
}

// One row of the grid: strategy, workers and submitters have columns there.
void PrintCell(const Job& job) {
  const Json& record = job.record;
  const Cell& cell = job.entry->cell;
  const std::string name = job.entry->name;
  const int deepest = record.is_null() ? -1 : int{record["deepest"]};
  const bool whole = !record.is_null() && record["whole"];
  const std::string bound = job.search.random ? "random"
                            : whole           ? "all schedules"
                            : deepest < 0     ? "0"
                                              : std::to_string(deepest);
  std::printf(
      "| %s | %s | %u | %s | %s | %s | %llu | %s | %s | %.1f |\n",
      name.substr(0, name.find('<')).c_str(), cell.strategy, cell.workers,
      cell.submitters == 0 ? "none" : std::to_string(cell.submitters).c_str(),
      job.entry->property.c_str(), bound.c_str(),
      record.is_null() ? 0 : record["executions"].get<unsigned long long>(),
      job.search.random ? "sample"
      : deepest >= 0    ? "yes"
                        : "no",
      Verdict(job), record.is_null() ? 0 : record["cpu_seconds"].get<double>());
}

// One row of the table that models/run puts together.
void PrintRow(const Job& job, const Options& options) {
  if (options.mode == "full") return PrintCell(job);
  const bool known = !job.record.is_null();
  const bool exhausted = known && job.record["exhausted"];
  std::printf("| %s | %s | %s | %s | %s | %llu | %s | %s | %.1f |\n",
              options.program.c_str(), job.entry->name.c_str(),
              job.entry->property.c_str(), job.entry->bounds.c_str(),
              SearchName(job.search).c_str(),
              known ? job.record["executions"].get<unsigned long long>() : 0,
              job.search.random ? "sample"
              : exhausted       ? "yes"
                                : "no",
              Verdict(job),
              known ? job.record["cpu_seconds"].get<double>() : 0);
}

bool WriteJson(const std::vector<Job>& jobs, const Options& options) {
  if (options.json_file.empty()) return true;
  std::ofstream file(options.json_file);
  for (const Job& job : jobs) file << Row(job, options).dump() << "\n";
  file.flush();
  if (file) return true;
  std::fprintf(stderr, "error: cannot write %s\n", options.json_file.c_str());
  return false;
}

int Replay(const std::vector<Entry>& entries, const Options& options) {
  const auto entry = std::ranges::find_if(
      entries, [&](const Entry& entry) { return options.only == entry.name; });
  if (entry == entries.end()) {
    std::fprintf(stderr, "error: no model is called '%s'\n",
                 options.only.c_str());
    return 2;
  }
  Search search{.random = options.search == "random",
                .executions = 1,
                .first = options.iteration};
  if (!search.random) {
    search.bound = static_cast<unsigned>(
        std::stoul(options.search.substr(std::string("bound:").size())));
  }
  const Outcome outcome = entry->run(search, true);
  std::printf("%s\n%s: %s after %llu executions\n", outcome.history.c_str(),
              entry->name.c_str(), rl::test_result_str(outcome.result),
              static_cast<unsigned long long>(outcome.executions));
  return outcome.result == rl::test_result_success ? 0 : 1;
}

// Every search that a run in this mode makes, one line each.
int List(const std::vector<Entry>& entries, const Options& options) {
  for (const Entry& entry : entries) {
    for (const Search& search : Searches(entry, options)) {
      std::printf("%s\t%s\t%s\t%s\t%s\n", options.program.c_str(),
                  entry.name.c_str(), entry.property.c_str(),
                  entry.bounds.c_str(), SearchName(search).c_str());
    }
  }
  return 0;
}

int Run(const std::vector<Entry>& entries, const Options& options) {
  std::vector<Job> jobs;
  for (const Entry& entry : entries) {
    if (!options.only.empty() && options.only != entry.name) continue;
    for (const Search& search : Searches(entry, options)) {
      jobs.emplace_back(entry, search);
    }
  }
  if (jobs.empty()) {
    std::fprintf(stderr, "error: no model is called '%s'\n",
                 options.only.c_str());
    return 2;
  }
  RunUnknown(jobs, options);
  FailUnfound(jobs);
  for (const Job& job : jobs) PrintRow(job, options);
  const bool written = WriteJson(jobs, options);
  const auto failed = std::ranges::count(jobs, false, &Job::passed);
  std::printf("%zu passed, %td failed\n",
              jobs.size() - static_cast<std::size_t>(failed), failed);
  return failed == 0 && written ? 0 : 1;
}

void Describe(CLI::App& app, Options& options) {
  app.add_option("--mode", options.mode, "how far to search")
      ->check(CLI::IsMember({"quick", "standard", "full"}));
  app.add_option("--only", options.only, "one model, by name");
  app.add_option("--json", options.json_file, "one JSON object per search");
  auto* seconds =
      app.add_option("--seconds", options.seconds,
                     "CPU seconds of a search that need not be exhausted")
          ->check(CLI::Range(0.001, 1e6));
  app.add_option("--kept", options.kept_file,
                 "searches that passed are kept here, and not run again")
      ->excludes(seconds);
  app.add_option("--later", options.later,
                 "searches that follow this program's, for the time left");
  app.add_option("--jobs", options.jobs, "searches at a time")
      ->check(CLI::Range(1, 256));
  app.add_flag("--list", options.list, "the searches of this mode");
  auto* replay =
      app.add_option("--replay", options.search,
                     "search --only again, bound:N or random, and print the "
                     "history of its failure")
          ->check([](const std::string& text) -> std::string {
            const bool bound =
                text.rfind("bound:", 0) == 0 && text.size() > 6 &&
                text.find_first_not_of("0123456789", 6) == std::string::npos;
            return text == "random" || bound ? "" : "not bound:N or random";
          });
  app.add_option("--iteration", options.iteration, "of a random replay")
      ->needs(replay)
      ->check(CLI::PositiveNumber);
}

}  // namespace

void ExecutionBegins() {
  const std::uint64_t executions = progress.executions++;
  if (progress.cpu_limit == 0 || executions % 256 != 0) return;
  if (CpuSeconds() < progress.cpu_limit) return;
  // Relacy is in the middle of a search: leave without its destructors. Its
  // replaced operator new serves a leak to a process that is about to end.
  Outcome outcome = progress.deepened;
  if (outcome.deepest < 0) outcome.executions = executions;
  WriteRecord(Record(outcome));
  _exit(0);
}

void Deepened(const Outcome& outcome) { progress.deepened = outcome; }

int CheckEntries(const std::vector<Entry>& entries, int argc, char** argv) {
  Options options;
  const std::string path = argv[0];
  options.program = path.substr(path.find_last_of('/') + 1);
  if (options.program.rfind("model_", 0) == 0) options.program.erase(0, 6);
  CLI::App app("Runs the models of " + options.program + " under Relacy.");
  Describe(app, options);
  CLI11_PARSE(app, argc, argv);
  if (options.list) return List(entries, options);
  if (!options.search.empty()) return Replay(entries, options);
  try {
    return Run(entries, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 2;
  }
}

}  // namespace models
