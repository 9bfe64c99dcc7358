#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/logging.h"
#include "base/system/file_descriptor.h"
#include "controller/graph_runner.h"
#include "controller/service_runner.h"
#include "controlplane/files/object_files.h"
#include "gateway/gateway.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::controller {

struct LocalOptions {
  std::vector<std::string> files;     // of manifests; folders stand for those in them
  std::vector<std::string> runtimes;  // likewise; empty: those that are installed with this program
  std::string address = "127.0.0.1";
  uint16_t port = 8080;
  std::string domain = "localhost";  // of services, where no inferenceservice-config among the files says it
  std::string folder;                // for models; empty: a temporary one, which goes at the end
};

// InferenceServices of files on this machine, without a cluster: replicas are processes, and one gateway has all of
// their requests. The files are looked at again and again; a change of them is applied, and one with a fault changes
// nothing. Not thread-safe.
class LocalController final {
 public:
  LocalController(LocalOptions options, base::Logger& logger);
  // Ends all replicas, and waits for that.
  ~LocalController();

  // INVALID_ARGUMENT: the files' first fault; ALREADY_EXISTS: the port is in use.
  base::Status Start();
  // Until `signals`, a signalfd, has one.
  void Run(int signals);
  uint16_t port() const { return server_.port("http"); }

 private:
  struct FileStamp {
    int64_t modified_ns = 0;
    uint64_t size = 0;

    bool operator==(const FileStamp&) const = default;
  };
  using Stamps = std::map<std::string, FileStamp>;

  base::Result<Stamps> LookAtFiles() const;
  base::Status Apply(const Stamps& stamps);
  RunnerServices ServicesOfRunners();
  std::string UrlOf(const std::string& key) const;
  void Say(bool bad, const std::string& line);
  void ApplyChanges();
  void Tick();
  void SetRoutes();
  void Drain();
  controlplane::ScaleTime Now() const;

  const LocalOptions options_;
  base::Logger& logger_;
  const base::FileDescriptor wake_;  // an eventfd
  std::string folder_;
  bool folder_is_ours_ = false;
  controlplane::InferenceServiceConfig config_;
  controlplane::ObjectFiles known_runtimes_;
  Stamps stamps_;
  controlplane::ScaleTime looked_{0};
  node::NodeOptions node_;
  std::map<std::string, std::unique_ptr<ServiceRunner>> services_;
  std::map<std::string, std::unique_ptr<GraphRunner>> graphs_;
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::Server server_;
};

}  // namespace inferd::controller
