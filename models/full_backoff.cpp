#include "grid.h"

int main(int argc, char** argv) {
  return models::CheckGrid<models::Backoff>(argc, argv);
}
