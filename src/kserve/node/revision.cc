#include "kserve/node/revision.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/system/file_descriptor.h"
#include "kserve/model/api/annotations.h"
#include "kserve/node/agent_process.h"
#include "kserve/node/agent_variables.h"

namespace inferd::node {

namespace {

using model::ScaleTime;

constexpr std::string_view kModelsMount = "/mnt/models";

// Returns a port that no program listens on.
base::Result<uint16_t> TakePort() {
  const base::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return std::unexpected(base::ResourceExhausted("no port is free"));
  }
  return ntohs(address.sin_port);
}

// Returns the program's path: in `folder`, else in PATH. A name with a path is returned unchanged.
base::Result<std::string> Locate(const std::string& program, const std::string& folder) {
  std::vector<std::string> places = {folder};
  const char* const path = std::getenv("PATH");
  std::istringstream in(path == nullptr ? "" : path);
  for (std::string place; std::getline(in, place, ':');) places.push_back(place);
  if (program.find('/') != std::string::npos) places = {""};
  for (const std::string& place : places) {
    const std::string found = place.empty() ? program : place + "/" + program;
    if (found.find('/') != std::string::npos && access(found.c_str(), X_OK) == 0) return found;
  }
  return std::unexpected(base::FailedPrecondition("needs the program '" + program + "', which is not installed here"));
}

// The namespace is part of the folder, because several namespaces may have the same revision name.
std::string FolderOf(const NodeOptions& options, const model::ResolvedPod& pod, const std::string& revision) {
  return options.folder + "/" + pod.namespace_name + "/" + revision;
}

// Returns the folder for the claims of the pod's namespace.
std::string ClaimsOf(const NodeOptions& options, const model::ResolvedPod& pod) {
  return options.claims_folder + "/" + pod.namespace_name;
}

LimitsReport LimitsOf(const NodeOptions& options, const model::ResolvedPod& pod) {
  const manifest::Value* const containers = pod.pod_spec.Find("containers");
  if (options.keeper == nullptr || containers == nullptr || containers->items().empty()) return {};
  return options.keeper->Report(containers->items().front());
}

bool HasModelSet(const model::ResolvedPod& pod) { return pod.annotations.contains(model::kModelDirAnnotation); }

bool Names(const std::vector<std::string>& variables, std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('=') + 1);
  return std::ranges::any_of(variables, [name](const std::string& known) { return known.starts_with(name); });
}

}  // namespace

Revision::Revision(std::string name, model::ResolvedPod pod, const model::KnativeSettings& settings,
                   const NodeOptions& options, ScaleTime now)
    : name_(std::move(name)),
      pod_(std::move(pod)),
      options_(options),
      limits_(LimitsOf(options, pod_)),
      models_(FetchOfModel(), FolderOf(options, pod_, name_)),
      model_set_(HasModelSet(pod_) ? std::make_unique<ModelSet>(FolderOf(options, pod_, name_), ClaimsOf(options, pod_),
                                                                options.wake, options.on_log)
                                   : nullptr),
      backend_(std::make_shared<gateway::Backend>(
          name_, gateway::BackendOptions{.replica_concurrency = static_cast<size_t>(settings.container_concurrency)},
          options.wake)),
      scale_(settings, now, {.pods = std::max(settings.initial_scale, settings.min_scale)}) {}

Revision::~Revision() {
  for (const Member& member : replicas_) member.replica->Stop();
}

void Revision::Tick(ScaleTime now) {
  if (scale_.TakeMeasureTurn(now)) {
    const gateway::BackendLoad load = backend_->TakeLoad(base::SystemClock().NowNs());
    scale_.Record(now, load.concurrency, load.rate);
  }
  scale_.SetReachable(reachable_ && !retired_);
  HaveReplicas(scale_.Pods(now, static_cast<int64_t>(published_.size()), backend_->waiting() > 0));
  Publish();
  EndIdle();
}

size_t Revision::Staying() const {
  return static_cast<size_t>(std::ranges::count_if(replicas_, [](const Member& member) { return !member.leaving; }));
}

void Revision::HaveReplicas(int64_t wanted) {
  while (static_cast<int64_t>(Staying()) < wanted) AddReplica();
  // Replicas that are not ready go first, then the newest.
  for (const bool ready : {false, true}) {
    for (size_t i = replicas_.size(); i-- > 0 && static_cast<int64_t>(Staying()) > wanted;) {
      Member& member = replicas_[i];
      if (!member.leaving && (member.replica->state() == ReplicaState::kReady) == ready) member.leaving = true;
    }
  }
}

void Revision::AddReplica() {
  ReplicaOptions replica;
  replica.name = name_ + "-" + std::to_string(next_number_++);
  auto volumes = std::make_unique<PodVolumes>(FolderOf(options_, pod_, replica.name) + ".volumes",
                                              options_.claims_folder, options_.find_data);
  replica.make = [this, name = replica.name, &volumes = *volumes](const std::stop_token& stop) {
    return Make(name, volumes, stop);
  };
  replica.keeper = options_.keeper;
  replica.on_change = options_.wake;
  replica.on_log = options_.on_log;
  replicas_.push_back({.volumes = std::move(volumes), .replica = std::make_unique<Replica>(std::move(replica))});
}

ModelFolder::Fetch Revision::FetchOfModel() const {
  if (ModelUriOf(pod_).empty()) return nullptr;
  return [this](const std::string& folder, const std::stop_token& stop) {
    return FetchModel(
        pod_, folder,
        {.initializer = options_.find_initializer, .data = options_.find_data, .claims = ClaimsOf(options_, pod_)},
        stop);
  };
}

base::Result<ProcessSpec> Revision::Make(const std::string& replica, PodVolumes& volumes, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(std::string models, models_.Await(stop));
  if (model_set_ != nullptr) models = model_set_->folder();
  PodPlace place{.pod_name = replica, .find = options_.find_data, .moves = {}, .take_port = TakePort};
  INFERD_ASSIGN_OR_RETURN(place.moves, volumes.Prepare(pod_));
  if (!models.empty()) place.moves.push_back({std::string(kModelsMount), models});
  INFERD_ASSIGN_OR_RETURN(ProcessSpec spec, MakeProcess(pod_, place));
  INFERD_ASSIGN_OR_RETURN(spec.program, Locate(spec.program, options_.programs_folder));
  if (!spec.probe.command.empty()) {
    auto program = Locate(spec.probe.command.front(), options_.programs_folder);
    if (!program.has_value()) {
      return std::unexpected(program.error().WithContext(FieldOfContainer(pod_, "readinessProbe.exec.command")));
    }
    spec.probe.command.front() = *std::move(program);
  }
  // The container's own variables win.
  const auto threads =
      options_.keeper == nullptr ? std::vector<std::string>() : options_.keeper->ThreadVariables(spec.resources);
  for (const auto& variables : {AgentVariables(pod_), threads, options_.environment}) {
    for (const std::string& variable : variables) {
      if (!Names(spec.environment, variable)) spec.environment.push_back(variable);
    }
  }
  if (options_.take_socket != nullptr && CanListenOnSockets(spec)) ListenOnSockets(options_.take_socket(), spec);
  // A model set keeps its models itself.
  if (model_set_ == nullptr && spec.program.ends_with("/inferd")) spec.model_address = spec.http_address();
  if (!WantsAgent(pod_, spec)) return spec;
  INFERD_ASSIGN_OR_RETURN(const std::string agent, Locate("inferd-agent", options_.programs_folder));
  return BehindAgent(std::move(spec), pod_, agent, TakePort);
}

void Revision::Publish() {
  std::vector<std::string> ready;
  for (const Member& member : replicas_) {
    if (!member.leaving && member.replica->state() == ReplicaState::kReady) ready.push_back(member.replica->address());
  }
  if (model_set_ != nullptr) {
    model_set_->SetReplicas(ready);
    std::erase_if(ready, [this](const std::string& address) { return !model_set_->has_all(address); });
  }
  if (ready == published_) return;
  std::vector<gateway::ReplicaPlace> places;
  for (const Member& member : replicas_) {
    if (std::ranges::find(ready, member.replica->address()) == ready.end()) continue;
    auto address = net::upstream::Address::Parse(member.replica->address());
    auto grpc = net::upstream::Address::Parse(member.replica->grpc_address());
    if (address.has_value() && grpc.has_value()) places.emplace_back(*std::move(address), *std::move(grpc));
  }
  backend_->SetReplicas(std::move(places));
  published_ = std::move(ready);
}

void Revision::EndIdle() {
  for (const Member& member : replicas_) {
    if (member.leaving && backend_->InFlightOn(member.replica->address()) == 0) member.replica->Stop();
  }
  std::erase_if(replicas_,
                [](const Member& member) { return member.leaving && member.replica->state() == ReplicaState::kEnded; });
}

std::vector<ReplicaStatus> Revision::replicas() const {
  std::vector<ReplicaStatus> replicas;
  for (const Member& member : replicas_) {
    replicas.push_back({.name = member.replica->name(),
                        .state = member.leaving ? ReplicaState::kStopping : member.replica->state(),
                        .failure = member.replica->failure(),
                        .exit_code = member.replica->exit_code(),
                        .last_end = member.replica->last_end(),
                        .restarts = member.replica->restarts(),
                        .reloads = member.replica->reloads()});
  }
  return replicas;
}

std::map<std::string, std::shared_ptr<const ReplicaLog>> Revision::logs() const {
  std::map<std::string, std::shared_ptr<const ReplicaLog>> logs;
  for (const Member& member : replicas_) logs.emplace(member.replica->name(), member.replica->log());
  return logs;
}

void Revision::SetModels(std::vector<NamedModel> models) {
  if (model_set_ != nullptr) model_set_->SetModels(std::move(models));
}

std::map<std::string, NamedModelState> Revision::models() const {
  return model_set_ == nullptr ? std::map<std::string, NamedModelState>() : model_set_->states();
}

RevisionStatus Revision::status() const {
  return {.ready = published_.size(), .replicas = Staying(), .was_ready = scale_.was_ready() || !published_.empty()};
}

}  // namespace inferd::node
