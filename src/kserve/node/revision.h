#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "kserve/gateway/backend.h"
#include "kserve/model/pods/pod_resolution.h"
#include "kserve/model/scale/revision_scale.h"
#include "kserve/node/model_fetch.h"
#include "kserve/node/model_folder.h"
#include "kserve/node/model_set.h"
#include "kserve/node/replica.h"

namespace inferd::node {

// Options that all revisions of a machine share.
struct NodeOptions {
  std::string folder;              // for models (NAMESPACE/REVISION in it) and volumes (NAMESPACE/REPLICA.volumes)
  std::string claims_folder = {};  // for persistent volumes (NAMESPACE/CLAIM in it)
  std::string programs_folder;     // searched first for programs; if empty, only PATH is
  // Variables for every replica, "NAME=VALUE", unless its container sets them.
  std::vector<std::string> environment;
  ResourceKeeper* keeper = nullptr;  // enforces containers' limits; if null, they are not enforced
  // Returns a path for a replica's Unix sockets. Called on any thread. Null: all replicas listen on loopback ports.
  std::function<std::string()> take_socket = nullptr;
  FindData find_data = nullptr;                         // finds Secrets and ConfigMaps that pods refer to
  FindInitializer find_initializer = nullptr;           // finds the initializer for a pod's model
  std::function<void()> wake;                           // asks for a call of Tick(); called on any thread
  std::function<void(const std::string& line)> on_log;  // receives a line for a person; called on any thread
};

using model::ReplicaStatus;

struct RevisionStatus {
  size_t ready = 0;     // number of ready replicas
  size_t replicas = 0;  // number that run or will run
  bool was_ready = false;
};

// One revision of a component. Its replicas are processes of this machine. Their number follows the load, from none to
// the maximum (Knative's autoscaler). Requests reach it through its backend, where they wait while there is no replica.
// Not thread-safe, except for backend(), which is used on any thread.
class Revision final {
 public:
  // `now` must have the same origin in all calls.
  Revision(std::string name, model::ResolvedPod pod, const model::KnativeSettings& settings, const NodeOptions& options,
           model::ScaleTime now);
  // Stops the replicas and waits for their ends.
  ~Revision();

  const std::string& name() const { return name_; }
  // Returns the report about its container's limits.
  const LimitsReport& limits() const { return limits_; }
  const std::shared_ptr<gateway::Backend>& backend() const { return backend_; }

  // Checks load and replicas, and starts or ends replicas. Call about every 100 ms, and when woken.
  void Tick(model::ScaleTime now);
  // Sets whether requests can reach it. If not, it has no replicas, whatever the minimum says (Knative: reachability).
  void SetReachable(bool reachable) { reachable_ = reachable; }
  // Call when no more requests will come. Its replicas end once they have answered their requests in flight.
  void Retire() { retired_ = true; }
  bool retired() const { return retired_; }
  // True if it is retired and has no replicas and no waiting requests.
  bool gone() const { return retired_ && replicas_.empty() && backend_->waiting() == 0; }

  // True if it has no replicas and no request waits for one.
  bool idle() const { return replicas_.empty() && backend_->waiting() == 0; }

  // Set the TrainedModels of its server, and return their states. No effect if the server has one model or none.
  void SetModels(std::vector<NamedModel> models);
  std::map<std::string, NamedModelState> models() const;

  RevisionStatus status() const;
  // Returns the replicas that run or will run, and those that are ending.
  std::vector<ReplicaStatus> replicas() const;
  // Returns the output of each replica, by its name.
  std::map<std::string, std::shared_ptr<const ReplicaLog>> logs() const;

 private:
  struct Member {
    std::unique_ptr<PodVolumes> volumes;  // must outlive the replica
    std::unique_ptr<Replica> replica;
    bool leaving = false;  // gets no more requests; ends when none is in flight
  };

  void HaveReplicas(int64_t wanted);
  void AddReplica();
  void Publish();
  void EndIdle();
  ModelFolder::Fetch FetchOfModel() const;
  base::Result<ProcessSpec> Make(const std::string& replica, PodVolumes& volumes, const std::stop_token& stop);
  size_t Staying() const;

  const std::string name_;
  const model::ResolvedPod pod_;
  const NodeOptions& options_;
  const LimitsReport limits_;
  ModelFolder models_;
  const std::unique_ptr<ModelSet> model_set_;  // null if it has one model or none
  const std::shared_ptr<gateway::Backend> backend_;
  model::RevisionScale scale_;
  bool reachable_ = true;
  bool retired_ = false;
  int next_number_ = 0;
  std::vector<Member> replicas_;
  std::vector<std::string> published_;
};

}  // namespace inferd::node
