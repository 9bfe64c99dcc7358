#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "kserve/modelcalls/lost_models.h"

namespace inferd::node {

// A model that comes and goes in a server that runs.
struct NamedModel {
  std::string name;
  std::string uri;

  bool operator==(const NamedModel&) const = default;
};

struct NamedModelState {
  bool loaded = false;  // by all replicas that are ready; where there is none, it has been brought here
  std::string failure;  // why it is not; empty: it is on its way

  bool operator==(const NamedModelState&) const = default;
};

// The models of a revision whose server has several (KServe: multi-model serving): brought to a folder, in a version of
// their own (FOLDER/NAME/1), and loaded and unloaded by each replica through V2's repository API. What has failed is
// tried again after a while. Thread-safe.
class ModelSet final {
 public:
  // Makes the folder. `claims`: ResolveHere()'s. `on_change`: of a state, or of what has_all() says; on a thread of
  // this.
  ModelSet(std::string folder, std::string claims, std::function<void()> on_change,
           std::function<void(const std::string&)> on_log);
  // Removes it.
  ~ModelSet();

  const std::string& folder() const { return folder_; }
  // Those that there are to be. Another URI of the same name is another model.
  void SetModels(std::vector<NamedModel> models);
  // Addresses of the replicas that answer.
  void SetReplicas(const std::vector<std::string>& addresses);
  // Whether the replica has been given every model that can be had: no request for one comes too early.
  bool has_all(const std::string& address) const;
  std::map<std::string, NamedModelState> states() const;

 private:
  using Clock = std::chrono::steady_clock;
  // What was tried of something, and when again.
  struct Tried {
    std::string failure;  // empty: it has succeeded, or was not tried
    Clock::time_point again;
  };
  struct Model {
    std::string uri;
    uint64_t generation = 0;
    bool there = false;
    Tried tried;
  };
  struct Replica {
    std::map<std::string, uint64_t> loaded;  // the generation of each
    std::map<std::string, Tried> tried;
    modelcalls::LostModels lost{};
    Clock::time_point look_at{};  // when it is asked next for its models
  };
  struct Order {
    enum class Kind : uint8_t { kFetch, kLoad, kUnload };
    Kind kind = Kind::kFetch;
    std::string name, address;
    NamedModel model;
    uint64_t generation = 0;
  };

  void Run(const std::stop_token& stop);
  std::optional<Order> NextOrder(Clock::time_point now) const REQUIRES(mutex_);
  base::Status Do(const Order& order, const std::stop_token& stop) const;
  // Asks a replica for its models, if it is time to. Models that another process unloaded are loaded again.
  void LookAtReplica(Clock::time_point now);
  base::Status Fetch(const NamedModel& model, const std::stop_token& stop) const;
  void Note(const Order& order, const base::Status& done) REQUIRES(mutex_);

  const std::string folder_;
  const std::string claims_;
  const std::function<void()> on_change_;
  const std::function<void(const std::string&)> on_log_;
  mutable base::Mutex mutex_;
  base::CondVar changed_;
  uint64_t generations_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Model> models_ GUARDED_BY(mutex_);
  std::map<std::string, Replica> replicas_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace inferd::node
