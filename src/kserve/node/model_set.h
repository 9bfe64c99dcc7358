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

// A model that a running server loads and unloads.
struct NamedModel {
  std::string name;
  std::string uri;

  bool operator==(const NamedModel&) const = default;
};

struct NamedModelState {
  bool loaded = false;  // by all ready replicas; if there is none, fetched to this machine
  std::string failure;  // why it is not loaded; empty while it is loading

  bool operator==(const NamedModelState&) const = default;
};

// The models of a revision whose server has several (KServe: multi-model serving). Each model is fetched into the
// folder, as a version of its own (FOLDER/NAME/1). Each replica is told to load and unload it through V2's repository
// API. Failures are retried after a delay. Thread-safe.
class ModelSet final {
 public:
  // Creates the folder. `claims` is the folder for ResolveHere(). `on_change` is called on a thread of this object when
  // a state or the result of has_all() changes.
  ModelSet(std::string folder, std::string claims, std::function<void()> on_change,
           std::function<void(const std::string&)> on_log);
  // Removes the folder.
  ~ModelSet();

  const std::string& folder() const { return folder_; }
  // Sets the wanted models. A model with another URI under the same name is a new model.
  void SetModels(std::vector<NamedModel> models);
  // Sets the addresses of the ready replicas.
  void SetReplicas(const std::vector<std::string>& addresses);
  // Returns true if the replica has loaded every model that can be loaded. Before that, requests would come too early.
  bool has_all(const std::string& address) const;
  std::map<std::string, NamedModelState> states() const;

 private:
  using Clock = std::chrono::steady_clock;
  // The result of an attempt, and the time of the next one.
  struct Tried {
    std::string failure;  // empty after a success or before an attempt
    Clock::time_point again;
  };
  struct Model {
    std::string uri;
    uint64_t generation = 0;
    bool there = false;
    Tried tried;
  };
  struct Replica {
    std::map<std::string, uint64_t> loaded;  // by name; the loaded generation
    std::map<std::string, Tried> tried;
    modelcalls::LostModels lost{};
    Clock::time_point look_at{};  // when to list its models next
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
  // Lists a replica's loaded models, if it is due. Models that another process has unloaded are loaded again.
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
