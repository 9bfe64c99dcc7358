#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/logging.h"
#include "base/status.h"
#include "config/options/server_options.h"
#include "server/front_ends.h"

namespace inferd::server {

// Everything a server is made of, wired together from its options.
//
//   Start() -> serving -> Drain() -> destructor
//
// Ports open first, unless --accept says otherwise: the server is live at once, and ready when its models are. All
// methods are called by one thread, which is none of the server's own.
class InferenceServer final {
 public:
  // `engine_directory` is where the engines' libraries are. The logger outlives the server. Errors: an engine folder or
  // a repository that is not there, a port in use, TLS files that cannot be read.
  // Other front-ends than the server's own are for tests.
  using FrontEndsMaker = protocol::FrontEnds (*)(const protocol::Settings&);
  static base::Result<std::unique_ptr<InferenceServer>> Start(const config::ServerOptions& options,
                                                              base::Logger& logger,
                                                              FrontEndsMaker make_front_ends = MakeFrontEnds);
  ~InferenceServer();

  // Opens the ports if they are not open and --accept says that it is time. That does not come, where the server is to
  // end for a model that failed. Whether they are open; errors as Start's.
  base::Result<bool> OpenWhenDue();

  // Where that listener ("http", "grpc", "metrics") listens; 0 if it does not.
  uint16_t port(std::string_view listener) const;

  // Whether the models of the initial set are up; and if one of them cannot come up, why ("" if none has failed).
  bool ready() const;
  std::string StartupFailure() const;
  // So too, of one whose configuration is wrong in itself. Reads files.
  std::string BadConfiguration() const;
  // Whether every model of the initial set was tried.
  bool StartupTried() const;
  // Whether it stays neither live nor ready, for a configuration that was wrong at the start. May read files.
  bool StartupFailed() const;

  // Reads certificates and tokens again; connections that are open go on. What cannot be read is logged, and the old
  // ones stay.
  void ReloadCredentials();
  // What is written from now on of requests goes to new files.
  void BeginNewLogFiles();

  enum class Drained {
    kWhole,  // every request was answered
    kCut,    // the time was over before
    kStuck,  // and loops are held for good: this cannot be destroyed any more. The log has their names, and the
             // models'.
  };
  // Not ready from now on but still accepting for the grace time, in which each connection is told with its next
  // response that it ends; then closes the listeners and the connections that are idle, and waits for the requests in
  // flight, at most the drain timeout. Never waits for a loop, so that nothing that holds one keeps it from coming to
  // its end. Then the destructor unloads the models and waits for their executions to end.
  Drained Drain();
  // The same with another grace time: none for a server whose start has failed, which no client was told to use.
  Drained Drain(std::chrono::milliseconds grace);

 private:
  struct Parts;
  explicit InferenceServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace inferd::server
