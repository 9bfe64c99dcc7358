#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "server/front_ends.h"

namespace inferd::server {

// A complete server, wired together from its options.
//
//   Start() -> serving -> Drain() -> destructor
//
// The ports are opened first, unless --accept says otherwise: the server is live at once, and ready when its models
// are. The caller must use one thread for all methods, and not one of the server's own threads.
class InferenceServer final {
 public:
  // Starts a server. The engines' folder comes from the options. The logger must outlive the server. Returns an error
  // if the engines' folder or a repository does not exist, a port is in use, or TLS files cannot be read.
  // `make_front_ends` is only set by tests.
  using FrontEndsMaker = protocol::FrontEnds (*)(const protocol::Settings&);
  static base::Result<std::unique_ptr<InferenceServer>> Start(const config::ServerOptions& options,
                                                              base::Logger& logger,
                                                              FrontEndsMaker make_front_ends = MakeFrontEnds);
  ~InferenceServer();

  // Opens the ports if --accept allows that now, and returns true if they are open. They stay closed if the server must
  // exit because a model failed. Returns the same errors as Start.
  base::Result<bool> OpenWhenDue();

  // Returns the models. Valid as long as this.
  const core::Catalog& catalog() const;

  // Returns the port of a listener ("http", "grpc", "metrics"). 0 if it does not listen.
  uint16_t port(std::string_view listener) const;

  // Returns true if every model of the initial set is ready.
  bool ready() const;
  std::string StartupFailure() const;
  // Returns the failure of a model of the initial set whose configuration itself is invalid. Empty if there is none so
  // far. Reads files.
  std::string BadConfiguration() const;
  // Returns true if the server has tried to load every model of the initial set.
  bool StartupTried() const;
  // Returns true if an invalid configuration at the start keeps the server from becoming live and ready. May read
  // files.
  bool StartupFailed() const;

  // Reads certificates and tokens again. Open connections are not affected. If a file cannot be read, the error is
  // logged, and the old content stays in use.
  void ReloadCredentials();
  // Makes the logs of requests continue in new files.
  void BeginNewLogFiles();

  enum class Drained {
    kWhole,  // every request was answered
    kCut,    // the drain timeout expired first
    kStuck,  // likewise, and loops are blocked for good: do not destroy this. The log names the loops and models
  };
  // Reports "not ready", but accepts requests for the grace time. Meanwhile each connection is told with its next
  // response that it will be closed. Then closes listeners and idle connections, and waits for the requests in flight
  // for at most the drain timeout. Never waits for a loop, so that a blocked loop cannot delay it. The destructor then
  // unloads the models, and waits for their executions.
  Drained Drain();
  // Likewise, with another grace time. It is 0 if the start has failed, since no client uses the server yet.
  Drained Drain(std::chrono::milliseconds grace);

  // Call after Drain(): unloads the models, and waits until `until` at most. Returns the number of loads in progress,
  // which cannot be interrupted, if nothing else is left. 0 if nothing, or something else, is left.
  size_t UnloadBefore(std::chrono::steady_clock::time_point until);

 private:
  struct Parts;
  explicit InferenceServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace inferd::server
