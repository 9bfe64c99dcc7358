#include "kserve/node/model_set.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "kserve/modelcalls/model_calls.h"
#include "kserve/node/model_fetch.h"
#include "storage/download/download.h"

namespace inferd::node {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTryAgain{5};
constexpr std::chrono::milliseconds kWaitAtMost{100};
constexpr std::chrono::minutes kLoadTimeout{10};
constexpr std::chrono::seconds kLookTimeout{2};
constexpr std::chrono::seconds kLookPause{1};

// Names become parts of a path and of a URL.
bool IsPlain(const std::string& name) {
  return !name.empty() && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
}

bool HasVersions(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (entry.is_directory(error) && name.find_first_not_of("0123456789") == std::string::npos) return true;
  }
  return false;
}

}  // namespace

ModelSet::ModelSet(std::string folder, std::string claims, std::function<void()> on_change,
                   std::function<void(const std::string&)> on_log)
    : folder_(std::move(folder)),
      claims_(std::move(claims)),
      on_change_(std::move(on_change)),
      on_log_(std::move(on_log)) {
  std::error_code ignored;  // a later fetch reports it
  fs::create_directories(folder_, ignored);
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

ModelSet::~ModelSet() {
  thread_.request_stop();
  thread_.join();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  fs::remove_all(folder_ + ".coming", ignored);
}

void ModelSet::SetModels(std::vector<NamedModel> models) {
  const base::MutexLock lock(mutex_);
  std::set<std::string> names;
  for (NamedModel& each : models) {
    if (!IsPlain(each.name)) continue;
    names.insert(each.name);
    Model& model = models_[each.name];
    if (model.uri == each.uri) continue;
    model = {.uri = std::move(each.uri), .generation = ++generations_, .there = false, .tried = {}};
  }
  std::erase_if(models_, [&](const auto& entry) { return !names.contains(entry.first); });
  changed_.NotifyAll();
}

void ModelSet::SetReplicas(const std::vector<std::string>& addresses) {
  const base::MutexLock lock(mutex_);
  std::erase_if(replicas_,
                [&](const auto& entry) { return std::ranges::find(addresses, entry.first) == addresses.end(); });
  for (const std::string& address : addresses) replicas_.try_emplace(address);
  changed_.NotifyAll();
}

bool ModelSet::has_all(const std::string& address) const {
  const base::MutexLock lock(mutex_);
  const auto found = replicas_.find(address);
  if (found == replicas_.end()) return false;
  const Replica& replica = found->second;
  return std::ranges::all_of(models_, [&](const auto& entry) {
    const auto& [name, model] = entry;
    if (!model.there && !model.tried.failure.empty()) return true;
    const auto tried = replica.tried.find(name);
    return replica.loaded.contains(name) || (tried != replica.tried.end() && !tried->second.failure.empty());
  });
}

std::map<std::string, NamedModelState> ModelSet::states() const {
  const base::MutexLock lock(mutex_);
  std::map<std::string, NamedModelState> states;
  for (const auto& [name, model] : models_) {
    NamedModelState& state = states[name];
    state.failure = model.tried.failure;
    state.loaded = model.there;
    for (const auto& [address, replica] : replicas_) {
      const auto loaded = replica.loaded.find(name);
      if (loaded != replica.loaded.end() && loaded->second == model.generation) continue;
      state.loaded = false;
      const auto tried = replica.tried.find(name);
      if (tried != replica.tried.end() && state.failure.empty()) state.failure = tried->second.failure;
    }
  }
  return states;
}

std::optional<ModelSet::Order> ModelSet::NextOrder(Clock::time_point now) const {
  for (const auto& [name, model] : models_) {
    if (model.there || model.tried.again > now) continue;
    return Order{.kind = Order::Kind::kFetch,
                 .name = name,
                 .address = {},
                 .model = {name, model.uri},
                 .generation = model.generation};
  }
  for (const auto& [address, replica] : replicas_) {
    for (const auto& [name, generation] : replica.loaded) {
      if (models_.contains(name)) continue;
      return Order{.kind = Order::Kind::kUnload, .name = name, .address = address, .model = {}, .generation = 0};
    }
    for (const auto& [name, model] : models_) {
      const auto loaded = replica.loaded.find(name);
      const auto tried = replica.tried.find(name);
      const bool has = loaded != replica.loaded.end() && loaded->second == model.generation;
      if (has || !model.there || (tried != replica.tried.end() && tried->second.again > now)) continue;
      return Order{
          .kind = Order::Kind::kLoad, .name = name, .address = address, .model = {}, .generation = model.generation};
    }
  }
  return std::nullopt;
}

base::Status ModelSet::Fetch(const NamedModel& model, const std::stop_token& stop) const {
  const fs::path coming = fs::path(folder_ + ".coming") / model.name;
  const fs::path place = fs::path(folder_) / model.name;
  std::error_code error;
  fs::remove_all(coming, error);
  INFERD_ASSIGN_OR_RETURN(const std::string uri, ResolveHere(model.uri, claims_));
  INFERD_RETURN_IF_ERROR(storage::Download(uri, coming, storage::ProcessEnvironment(), {}, stop));
  fs::remove_all(place, error);
  const bool versions = HasVersions(coming);
  if (!versions) fs::create_directories(place, error);
  fs::rename(coming, versions ? place : place / "1", error);
  return error ? base::Unavailable("model '" + model.name + "': " + error.message()) : base::OkStatus();
}

base::Status ModelSet::Do(const Order& order, const std::stop_token& stop) const {
  switch (order.kind) {
    case Order::Kind::kFetch: return Fetch(order.model, stop);
    case Order::Kind::kLoad: return modelcalls::ModelCalls(order.address, kLoadTimeout).Load(order.name);
    case Order::Kind::kUnload: return modelcalls::ModelCalls(order.address, kLoadTimeout).Unload(order.name);
  }
  return base::OkStatus();
}

void ModelSet::LookAtReplica(Clock::time_point now) {
  std::string address;
  {
    const base::MutexLock lock(mutex_);
    const auto due = std::ranges::find_if(replicas_, [&](const auto& entry) { return entry.second.look_at <= now; });
    if (due == replicas_.end()) return;
    due->second.look_at = now + kLookPause;
    address = due->first;
  }
  const auto ready = modelcalls::ModelCalls(address, kLookTimeout).ListReady();
  if (!ready.has_value()) return;
  std::vector<std::string> lost;
  {
    const base::MutexLock lock(mutex_);
    const auto found = replicas_.find(address);
    if (found == replicas_.end()) return;
    lost = found->second.lost.Note(*ready);
    for (const std::string& name : lost) found->second.lost.Forget(name);
    std::erase_if(lost, [&](const std::string& name) { return found->second.loaded.erase(name) == 0; });
  }
  for (const std::string& name : lost) {
    on_log_(address + ": another process unloaded model '" + name + "', which is loaded again");
  }
  if (!lost.empty()) on_change_();
}

void ModelSet::Note(const Order& order, const base::Status& done) {
  const Tried tried{.failure = std::string(done.message()), .again = Clock::now() + kTryAgain};
  const auto model = models_.find(order.name);
  if (order.kind == Order::Kind::kFetch) {
    // The model may have been replaced meanwhile.
    if (model == models_.end() || model->second.generation != order.generation) return;
    model->second.there = done.ok();
    model->second.tried = done.ok() ? Tried() : tried;
    return;
  }
  const auto replica = replicas_.find(order.address);
  if (replica == replicas_.end()) return;
  std::map<std::string, uint64_t>& loaded = replica->second.loaded;
  std::map<std::string, Tried>& tries = replica->second.tried;
  if (order.kind == Order::Kind::kUnload) {
    // A replica that cannot unload the model has ended, or keeps a model that gets no requests.
    loaded.erase(order.name);
    tries.erase(order.name);
  } else if (done.ok()) {
    loaded[order.name] = order.generation;
    tries.erase(order.name);
  } else {
    tries[order.name] = tried;
  }
}

void ModelSet::Run(const std::stop_token& stop) {
  std::map<std::string, std::string> said;  // the last error of each model, so that a repeated error is logged once
  while (!stop.stop_requested()) {
    LookAtReplica(Clock::now());
    std::optional<Order> order;
    {
      base::MutexLock lock(mutex_);
      order = NextOrder(Clock::now());
      if (!order.has_value()) {
        changed_.WaitUntil(mutex_, Clock::now() + kWaitAtMost);
        continue;
      }
    }
    const base::Status done = Do(*order, stop);
    std::string failure(done.message());
    if (std::exchange(said[order->name], failure) != failure && !done.ok() && !stop.stop_requested()) {
      on_log_("model '" + order->name + "' of " + fs::path(folder_).filename().string() + ": " + failure);
    }
    {
      const base::MutexLock lock(mutex_);
      Note(*order, done);
      if (order->kind == Order::Kind::kUnload && !models_.contains(order->name)) {
        std::error_code ignored;
        fs::remove_all(fs::path(folder_) / order->name, ignored);
      }
    }
    on_change_();
  }
}

}  // namespace inferd::node
