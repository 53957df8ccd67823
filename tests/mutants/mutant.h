// Mutant(n) says whether mutant n is switched on. Included first into every
// file that is built against the mutated headers.
//
//   MUTANT=<n>              switches on mutant n; 0 or unset: none
//   MUTANT_REACHED=<file>   byte n of the file becomes 1 once n is asked about
//
// The file is mapped shared: a search runs in a child process that may end by a
// crash. Asking allocates nothing and is no operation of any platform, so a
// model explores the same schedules with it as without.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace mutants {

inline constexpr int kMost = 1 << 16;

inline int SelectedMutant() {
  const char* text = getenv("MUTANT");
  return text == nullptr ? 0 : atoi(text);
}

// Null if nobody asks which mutants are reached. The file holds kMost bytes.
inline unsigned char* ReachedMutants() {
  const char* name = getenv("MUTANT_REACHED");
  if (name == nullptr) return nullptr;
  const int file = open(name, O_RDWR | O_CLOEXEC);
  void* bytes = file < 0 ? MAP_FAILED
                         : mmap(nullptr, kMost, PROT_READ | PROT_WRITE,
                                MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) _exit(125);
  close(file);
  return static_cast<unsigned char*>(bytes);
}

inline const int selected = SelectedMutant();
inline unsigned char* const reached = ReachedMutants();

[[gnu::noinline]] inline bool Mutant(int n) {
  if (reached != nullptr && __atomic_load_n(&reached[n], __ATOMIC_RELAXED) == 0)
    __atomic_store_n(&reached[n], 1, __ATOMIC_RELAXED);
  return n == selected;
}

// A mutex of the caller's own, which synchronises it with nobody; made only if
// it is wanted, as a model watches mutexes.
template <class Mutex>
class OwnMutex {
 public:
  explicit OwnMutex(bool wanted) : wanted_(wanted) {
    if (wanted_) ::new (static_cast<void*>(&mutex_)) Mutex;
  }
  ~OwnMutex() {
    if (wanted_) mutex_.~Mutex();
  }
  OwnMutex(const OwnMutex&) = delete;
  OwnMutex& operator=(const OwnMutex&) = delete;

  Mutex& Or(Mutex& real) { return wanted_ ? mutex_ : real; }

 private:
  const bool wanted_;
  union {
    Mutex mutex_;
  };
};

}  // namespace mutants
