#include "grid.h"

int main(int argc, char** argv) {
  return models::CheckGrid<models::CondVar>(argc, argv);
}
