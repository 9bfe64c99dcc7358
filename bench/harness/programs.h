#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/child_process.h"
#include "bench/harness/target.h"

namespace inferd::bench {

// The running programs of a benchmark: the server (unless the user names another), and the floors. They listen on
// loopback, and end with this object.
class Programs final {
 public:
  struct Options {
    std::string folder;  // where inferd and the floors are
    std::string repository;
    std::vector<std::string> models;
    std::vector<std::string> arguments{};  // further arguments of the server
    bool grpc = true;                      // start the gRPC port of the server, and the gRPC floor
    bool server = true;                    // start our server
    bool floors = true;
    // The library floor: its program, and its arguments after the port. Independent of `floors`. Not started if empty.
    std::vector<std::string> library_floor{};
  };

  // UNAVAILABLE if a program ended. DEADLINE_EXCEEDED if one did not become ready.
  static base::Result<Programs> Start(const Options& options);

  // Returns the targets that were started. `http` is empty without a server.
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
