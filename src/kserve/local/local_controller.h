#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/system/wake_event.h"
#include "kserve/apiserver/http/api_server.h"
#include "kserve/gateway/gateway.h"
#include "kserve/local/access/client_files.h"
#include "kserve/local/graph_set.h"
#include "kserve/local/objects/file_source.h"
#include "kserve/local/objects/local_cluster.h"
#include "kserve/local/service_set.h"
#include "kserve/local/state/replica_logs.h"
#include "kserve/local/status_writer.h"
#include "kserve/local/trained_models.h"
#include "kserve/node/sockets/socket_folder.h"
#include "kserve/node/work_folder.h"
#include "net/loop_group.h"
#include "net/server.h"

namespace inferd::local {

struct LocalOptions {
  std::vector<std::string> files;     // manifests, or folders of manifests
  std::vector<std::string> runtimes;  // runtimes, likewise; if empty, those installed with this program
  std::string address = "127.0.0.1";
  uint16_t port = 8080;
  std::string api_address = "127.0.0.1";
  uint16_t api_port = 8079;
  bool pass_control_calls = false;   // forward clients' control calls through the gateway
  std::string domain = "localhost";  // of services, if no inferenceservice-config names one
  std::string folder;                // for models and objects; if empty, a temporary one that is deleted at the end
  // Names of this process's environment variables that replicas get too (node::ReplicaEnvironment).
  std::vector<std::string> replica_environment;
};

// Runs InferenceServices on this machine, without a cluster. Replicas are processes, and one gateway receives all their
// requests. The objects come from files, which are watched, and from clients of the API, which find it by a kubeconfig
// (access/client_files.h). Not thread-safe.
class LocalController final {
 public:
  LocalController(LocalOptions options, base::Logger& logger);
  // Ends all replicas, and waits for their ends.
  ~LocalController();

  // Starts everything, and prints the kubeconfig's export command to standard error. INVALID_ARGUMENT for the first
  // error in a file. ALREADY_EXISTS if a port is in use. FAILED_PRECONDITION if the folder is in use.
  base::Status Start();
  // Runs until the signalfd `signals` is readable, then drains.
  void Run(int signals);
  uint16_t port() const { return server_.port("http"); }
  uint16_t api_port() const { return api_server_.port("api"); }

 private:
  base::Status BindListeners();
  base::Status BindApi();
  RunnerServices ForRunners();
  // Finds the initializer of a pod, and reports unusable secrets in an event of the service. Called on any thread.
  base::Result<model::StorageInitializer> FindInitializer(const model::ResolvedPod& pod);
  void Say(bool bad, const std::string& line);
  void LookAtFiles();
  void Tick();
  // Updates the gateway's routes. `graphs` is true if those of graphs are updated too.
  void SetRoutes(bool graphs);
  void Drain();
  model::ScaleTime Now() const;

  const LocalOptions options_;
  base::Logger& logger_;
  const base::SystemClock clock_;
  const base::WakeEvent wake_;
  std::optional<node::WorkFolder> folder_;        // set by Start()
  std::unique_ptr<node::ResourceKeeper> keeper_;  // set by Start()
  std::unique_ptr<node::SocketFolder> sockets_;   // set by Start()
  node::NodeOptions node_;
  LocalCluster cluster_;
  std::unique_ptr<FileSource> files_;
  std::unique_ptr<RevisionRecords> records_;
  std::unique_ptr<ServiceSet> services_;
  std::unique_ptr<GraphSet> graphs_;
  std::unique_ptr<TrainedModels> models_;
  ReplicaLogs logs_;
  std::unique_ptr<StatusWriter> statuses_;
  std::unique_ptr<WriteQueue> writes_;  // refers to the members above, and is destroyed before them
  std::unique_ptr<apiserver::ApiServer> api_;
  kubernetes::LocalFiles client_files_;  // both files are set by Start()
  KubeconfigFile kubeconfig_;
  model::ScaleTime looked_{0};
  gateway::RouteTable routes_;
  gateway::Gateway gateway_{{}};
  net::LoopGroup loops_;
  net::Server server_;
  ComponentPorts ports_;
  net::LoopGroup api_loops_{1};
  net::Server api_server_;
};

}  // namespace inferd::local
