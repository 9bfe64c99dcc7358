#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/child_process.h"
#include "bench/harness/target.h"

namespace inferd::bench {

// The programs that a benchmark needs, running: the server (unless another is given), and the floors. They listen on
// loopback, and end with this object.
class Programs final {
 public:
  struct Options {
    std::string folder;  // where inferd and the floors are
    std::string repository;
    std::vector<std::string> models;
    std::vector<std::string> arguments{};  // more of the server's
    bool grpc = true;                      // the server's own, and its floor
    bool server = true;                    // ours
    bool floors = true;
    // The floor with the bare library behind it, too, whatever `floors` says: the program, and its arguments behind the
    // port. Empty: not that one.
    std::vector<std::string> library_floor{};
  };

  // UNAVAILABLE: one of them ended; DEADLINE_EXCEEDED: it does not become ready.
  static base::Result<Programs> Start(const Options& options);

  // The targets of what was started; `http` is empty without a server.
  const Targets& targets() const { return targets_; }

 private:
  Programs() = default;
  base::Status StartFloors(const Options& options);
  base::Status StartLibraryFloor(const Options& options);
  base::Status StartServer(const Options& options);
  base::Result<Target> Run(const std::vector<std::string>& command, uint16_t port);

  std::vector<ChildProcess> processes_;
  Targets targets_;
};

}  // namespace inferd::bench
