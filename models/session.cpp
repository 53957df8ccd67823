// The session's word with a count of two bits: under any interleaving of its
// operations no field reaches another, and one call ends the session.
#include "pool/session.h"
#include "check.h"

namespace models {
namespace {

using Platform = RelacyPlatform<Timer::kNever>;
using workerpool::Completed;
using Session = workerpool::Session<Platform, std::uint8_t, 2>;

// Three tasks are the most that two bits hold. They complete on two threads
// while a third closes; the one that makes {closed, 0} is told.
template <bool kDrop>
struct FieldsStayApart : Model<FieldsStayApart<kDrop>, 3> {
  static std::string Name() {
    return kDrop ? "FieldsStayApart<drop>" : "FieldsStayApart<close>";
  }
  static constexpr const char* kProperty = "packed fields, 2 bits";
  static constexpr const char* kBounds =
      "3 tasks, 2 threads complete, 1 closes and waits for idle";
  static constexpr Plan kPlan{.bound = 3, .beyond = 4};

  Session session;
  unsigned last = 0;
  bool over_at_close = false;

  void Prepare() { session.Open(3); }
  void Run(unsigned index) {
    if (index < 2) {
      Complete();
      if (index == 0) Complete();
      return;
    }
    kDrop ? session.CloseAndDrop() : session.Close();
    over_at_close = session.IsOver();
    RL_ASSERT(!session.IsOpen());
    RL_ASSERT(session.IsDropping() == kDrop);
    RL_ASSERT(!session.Accept());
    session.WaitIdle();
    RL_ASSERT(session.IsOver());
  }
  void after() {
    RL_ASSERT(last <= 1 && (last == 1 || over_at_close));
    RL_ASSERT(session.IsDropping() == kDrop);
    if (kDrop) session.EndDrop();
    session.Open(1);
    RL_ASSERT(session.IsOpen() && !session.IsDropping());
  }

  void Complete() {
    if (session.Complete() == Completed::kLast) ++last;
  }
};

// Submitters and a waiter: the waiter's bit is not taken for a task, and what
// the tasks wrote is seen by who waited.
struct WaitersBitIsNoTask : Model<WaitersBitIsNoTask, 3> {
  static std::string Name() { return "WaitersBitIsNoTask"; }
  static constexpr const char* kProperty = "packed fields, 2 bits; 8 WaitIdle";
  static constexpr const char* kBounds =
      "2 threads accept and complete, 1 waits for idle";
  static constexpr Plan kPlan{.bound = 3, .beyond = 4};

  Session session;
  Platform::Var<int> done{0};

  void Prepare() {
    session.Open(0);
    RL_ASSERT(session.Accept());
  }
  void Run(unsigned index) {
    if (index == 0) {
      ++done.Write();
      RL_ASSERT(session.Complete() == Completed::kOne);
    } else if (index == 1) {
      session.WaitIdle();
      RL_ASSERT(done.Read() == 1);
    } else {
      RL_ASSERT(session.Accept());
      RL_ASSERT(session.Complete() == Completed::kOne);
    }
  }
  void after() {
    RL_ASSERT(session.IsOpen() && !session.IsDropping());
    session.Close();
    RL_ASSERT(session.IsOver());
  }
};

}  // namespace
}  // namespace models

int main(int argc, char** argv) {
  using namespace models;  // NOLINT: the list below is the program
  return Check<FieldsStayApart<false>, FieldsStayApart<true>,
               WaitersBitIsNoTask>(argc, argv);
}
