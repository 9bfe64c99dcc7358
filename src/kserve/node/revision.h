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

// What all revisions of a machine have in common.
struct NodeOptions {
  std::string folder;              // for models and volumes: NAMESPACE/REVISION and NAMESPACE/REPLICA.volumes in it
  std::string claims_folder = {};  // of persistent volumes: NAMESPACE/CLAIM in it
  std::string programs_folder;     // where a program is looked for first; empty: in PATH alone
  // Variables of every replica, "NAME=VALUE", where its container does not have them.
  std::vector<std::string> environment;
  ResourceKeeper* keeper = nullptr;  // of containers' limits; null: they are not held
  // Returns a path for a replica's Unix sockets, from any thread; null: all replicas listen on ports of the loopback.
  std::function<std::string()> take_socket = nullptr;
  FindData find_data = nullptr;                         // Secrets and ConfigMaps that pods refer to
  FindInitializer find_initializer = nullptr;           // what pods' models are brought with
  std::function<void()> wake;                           // Tick() is to be called soon; from any thread
  std::function<void(const std::string& line)> on_log;  // one line for a person; from any thread
};

using model::ReplicaStatus;

struct RevisionStatus {
  size_t ready = 0;     // replicas
  size_t replicas = 0;  // that run or are to
  bool was_ready = false;
};

// One version of a component: its replicas, as processes of this machine, and how many of them there are: by the load,
// from none to as many as it may have (Knative's autoscaler). Requests reach it by its backend, where they wait while
// there is no replica. Not thread-safe but for backend(), whose callers may be anywhere.
class Revision final {
 public:
  // `now`: of the same origin in all calls.
  Revision(std::string name, model::ResolvedPod pod, const model::KnativeSettings& settings, const NodeOptions& options,
           model::ScaleTime now);
  // Waits for the replicas to end.
  ~Revision();

  const std::string& name() const { return name_; }
  // Of its container's limits.
  const LimitsReport& limits() const { return limits_; }
  const std::shared_ptr<gateway::Backend>& backend() const { return backend_; }

  // Looks at the load and at the replicas, and starts and ends some. Call it every 100 ms or so, and when woken.
  void Tick(model::ScaleTime now);
  // While requests cannot come to it, it has no replicas, whatever the least number (Knative: reachability).
  void SetReachable(bool reachable) { reachable_ = reachable; }
  // No request comes to it any more: its replicas end as soon as they have answered what they have.
  void Retire() { retired_ = true; }
  bool retired() const { return retired_; }
  // It is retired, and nothing is left of it.
  bool gone() const { return retired_ && replicas_.empty() && backend_->waiting() == 0; }

  // It has no replicas, and no request waits for one.
  bool idle() const { return replicas_.empty() && backend_->waiting() == 0; }

  // Those that come and go in its server, where it has several.
  void SetModels(std::vector<NamedModel> models);
  std::map<std::string, NamedModelState> models() const;

  RevisionStatus status() const;
  // Those that run or are to, and those that still end.
  std::vector<ReplicaStatus> replicas() const;
  // What each of them has written, by its name.
  std::map<std::string, std::shared_ptr<const ReplicaLog>> logs() const;

 private:
  struct Member {
    std::unique_ptr<PodVolumes> volumes;  // which outlive the replica
    std::unique_ptr<Replica> replica;
    bool leaving = false;  // it takes no more requests, and ends when it has none
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
  const std::unique_ptr<ModelSet> model_set_;  // null: it has one model, or none
  const std::shared_ptr<gateway::Backend> backend_;
  model::RevisionScale scale_;
  bool reachable_ = true;
  bool retired_ = false;
  int next_number_ = 0;
  std::vector<Member> replicas_;
  std::vector<std::string> published_;
};

}  // namespace inferd::node
