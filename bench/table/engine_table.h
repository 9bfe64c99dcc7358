#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct EngineTableCase {
  std::vector<std::string> models;  // a selection of the table's own models; all if empty
  std::vector<Wire> wires;
  std::vector<size_t> connections;
  Timing timing;
};

// Prints, for each engine that is built, the cost of a request above the cost of the bare library. Runs the server, and
// a program that computes the same rows by the bare library, in turns. Ignores the models and the repository of
// `programs`. Must run in the root of the tree, because it serves the examples.
base::Status PrintEngineTable(const Programs::Options& programs, const EngineTableCase& what);

}  // namespace inferd::bench
