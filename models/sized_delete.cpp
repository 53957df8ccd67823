// Relacy replaces operator new and the unsized operator delete. A compiler that
// calls the sized form would hand Relacy's memory to the C library's free.
#include <cstddef>

#include "relacy_platform.h"

void operator delete(void* memory, std::size_t) noexcept {
  ::operator delete(memory);
}

void operator delete[](void* memory, std::size_t) noexcept {
  ::operator delete[](memory);
}
