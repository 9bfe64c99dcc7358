#pragma once

#include <vector>

#include "base/system/cpu_cores.h"
#include "bench/harness/spinner.h"

namespace CLI {
class App;
}

namespace inferd::bench {

// Where what is measured runs, and whether cores sleep, for as long as this lives. With few connections both cost more
// than a request does, and without a word they are left to chance.
//
// Make it before any thread, and one: it forks, and the cores of programs are the process's.
class CoreLayout final {
 public:
  struct Options {
    // No core sleeps: a process on each spins at the lowest priority (SCHED_IDLE), and gives way at once to any thread
    // that wants it. A core that has slept is cold, and a virtual machine's is given back to its host.
    bool awake = false;
    // The load generator has the first core, and the servers have the others: whether a connection's two ends share a
    // core makes a difference of two to one, and they would move. Of one core, nothing can be taken apart.
    bool apart = false;
  };

  explicit CoreLayout(const Options& options);
  CoreLayout(const CoreLayout&) = delete;
  CoreLayout& operator=(const CoreLayout&) = delete;

  // Of the programs that ChildProcess starts, and of bare calls of an engine.
  static const base::CpuCores& OfPrograms();

 private:
  std::vector<Spinner> spinners_;
};

// --awake, --apart. In a source of its own, because the header of the command line takes nine seconds to compile.
void AddCoreOptions(CLI::App& app, CoreLayout::Options& options);

}  // namespace inferd::bench
