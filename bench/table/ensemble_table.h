#pragma once

#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/model_call.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct EnsembleCase {
  std::vector<size_t> steps;  // the number of steps of each chain, ascending
  std::vector<Wire> wires;
  std::vector<size_t> connections;
  Timing timing;
};

// Prints the cost of an ensemble's step. Runs a model of the fake engine that repeats its input, and ensembles that are
// chains of it, in turns. Ignores the models and the repository of `programs`.
base::Status PrintEnsembleTable(const Programs::Options& programs, const EnsembleCase& what);

}  // namespace inferd::bench
