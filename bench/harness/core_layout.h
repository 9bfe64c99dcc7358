#pragma once

#include <vector>

#include "base/system/cpu_cores.h"
#include "bench/harness/spinner.h"

namespace CLI {
class App;
}

namespace inferd::bench {

// Controls on which cores the measured programs run, and whether cores sleep, for the lifetime of this object. With few
// connections, both matter more than the cost of a request, and by default they are left to chance.
//
// Create one, before any thread: it forks, and it sets the cores of programs for the whole process.
class CoreLayout final {
 public:
  struct Options {
    // True if no core may sleep. A process on each core spins at the lowest priority (SCHED_IDLE), and yields at once
    // to any other thread. A core that has slept is cold, and a virtual machine returns a sleeping core to its host.
    bool awake = false;
    // True if the load generator has the first core, and the servers have the others. The cost changes by a factor of
    // two if both ends of a connection share a core, and the kernel would move them. Needs at least two cores.
    bool apart = false;
  };

  explicit CoreLayout(const Options& options);
  CoreLayout(const CoreLayout&) = delete;
  CoreLayout& operator=(const CoreLayout&) = delete;

  // Returns the cores for programs that ChildProcess starts, and for bare calls of an engine.
  static const base::CpuCores& OfPrograms();

 private:
  std::vector<Spinner> spinners_;
};

// Adds the options --awake and --apart. Has its own source, because the command line's header takes nine seconds to
// compile.
void AddCoreOptions(CLI::App& app, CoreLayout::Options& options);

}  // namespace inferd::bench
