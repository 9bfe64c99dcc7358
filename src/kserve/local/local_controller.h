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
  std::vector<std::string> files;     // of manifests; folders stand for those in them
  std::vector<std::string> runtimes;  // likewise; empty: those that are installed with this program
  std::string address = "127.0.0.1";
  uint16_t port = 8080;
  std::string api_address = "127.0.0.1";
  uint16_t api_port = 8079;
  bool pass_control_calls = false;   // of clients, through the gateway
  std::string domain = "localhost";  // of services, where no inferenceservice-config says it
  std::string folder;                // for models, and for the objects; empty: a temporary one, which goes at the end
  // Names of variables of this process that replicas get beside their own (node::ReplicaEnvironment).
  std::vector<std::string> replica_environment;
};

// InferenceServices on this machine, without a cluster: replicas are processes, and one gateway has all of their
// requests. The objects are those of files, which are looked at again and again, and those that clients of the API
// write. Those find the API by a kubeconfig (access/client_files.h). Not thread-safe.
class LocalController final {
 public:
  LocalController(LocalOptions options, base::Logger& logger);
  // Ends all replicas, and waits for that.
  ~LocalController();

  // Prints on standard error how a shell takes the kubeconfig.
  // INVALID_ARGUMENT: the files' first fault; ALREADY_EXISTS: a port is in use; FAILED_PRECONDITION: the folder is.
  base::Status Start();
  // Until `signals`, a signalfd, has one.
  void Run(int signals);
  uint16_t port() const { return server_.port("http"); }
  uint16_t api_port() const { return api_server_.port("api"); }

 private:
  base::Status BindListeners();
  base::Status BindApi();
  RunnerServices ForRunners();
  // Names secrets that are of no use in an event of the service. From any thread.
  base::Result<model::StorageInitializer> FindInitializer(const model::ResolvedPod& pod);
  void Say(bool bad, const std::string& line);
  void LookAtFiles();
  void Tick();
  // `graphs`: theirs, too.
  void SetRoutes(bool graphs);
  void Drain();
  model::ScaleTime Now() const;

  const LocalOptions options_;
  base::Logger& logger_;
  const base::SystemClock clock_;
  const base::WakeEvent wake_;
  std::optional<node::WorkFolder> folder_;        // from Start() on
  std::unique_ptr<node::ResourceKeeper> keeper_;  // from Start() on
  std::unique_ptr<node::SocketFolder> sockets_;   // from Start() on
  node::NodeOptions node_;
  LocalCluster cluster_;
  std::unique_ptr<FileSource> files_;
  std::unique_ptr<RevisionRecords> records_;
  std::unique_ptr<ServiceSet> services_;
  std::unique_ptr<GraphSet> graphs_;
  std::unique_ptr<TrainedModels> models_;
  ReplicaLogs logs_;
  std::unique_ptr<StatusWriter> statuses_;
  std::unique_ptr<WriteQueue> writes_;  // refers to all of these, and ends before them
  std::unique_ptr<apiserver::ApiServer> api_;
  kubernetes::LocalFiles client_files_;  // from Start() on, as the next
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
