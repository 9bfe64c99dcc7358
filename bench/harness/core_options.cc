#include <CLI/CLI.hpp>

#include "bench/harness/core_layout.h"

namespace inferd::bench {

void AddCoreOptions(CLI::App& app, CoreLayout::Options& options) {
  app.add_flag("--awake", options.awake, "Keep the cores from sleeping between requests");
  app.add_flag("--apart", options.apart, "The load generator on the first core, the servers on the others");
}

}  // namespace inferd::bench
