#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct EngineTableCase {
  std::vector<std::string> models;  // of the table's own; empty: all
  std::vector<Wire> wires;
  std::vector<size_t> connections;
  Timing timing;
};

// Prints what a request costs above what the engine's library takes for it alone, of each engine that is built: the
// server, and a program that has the bare library compute the same rows, in turns. `programs`: its models and
// repository are not used. Run in the root of the tree, whose examples are what is served.
base::Status PrintEngineTable(const Programs::Options& programs, const EngineTableCase& what);

}  // namespace inferd::bench
