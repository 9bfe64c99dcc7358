#include "kserve/local/local_controller.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <iterator>
#include <utility>

#include "base/system/program_folder.h"
#include "base/text/masking.h"
#include "kserve/local/access/api_keys.h"
#include "kserve/local/objects/pod_data_objects.h"
#include "kserve/model/api/annotations.h"
#include "kserve/model/pods/storage_initializer.h"
#include "kserve/node/model_fetch.h"
#include "kserve/node/replica_environment.h"
#include "net/secret.h"
#include "storage/source/environment.h"

namespace inferd::local {

namespace {

using model::ScaleTime;

constexpr std::chrono::milliseconds kTick{100};
constexpr ScaleTime kLookEvery{500};
constexpr std::chrono::seconds kDrainTime{30};
constexpr size_t kWritersOfStatuses = 8;  // they share commits
constexpr size_t kApiConnectionsMax = 1'000;
// Buffered bytes of a response for one slow client: 1 000 clients take 64 MB.
constexpr size_t kApiHighWater = 64 * 1024;
constexpr const char* kDatabase = "objects.db";

// Returns the address by which local programs reach a listener.
std::string PlaceOf(const std::string& address, uint16_t port) {
  const bool any = address == "0.0.0.0" || address == "::" || address == "localhost";
  const std::string host = any ? "127.0.0.1" : address.find(':') != std::string::npos ? "[" + address + "]" : address;
  return host + ":" + std::to_string(port);
}

net::Limits ApiLimits() {
  net::Limits limits;
  limits.connections_max = kApiConnectionsMax;
  limits.write_high_water = kApiHighWater;
  return limits;
}

}  // namespace

LocalController::LocalController(LocalOptions options, base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      cluster_(options_.domain),
      server_(loops_, net::Limits(), nullptr, logger),
      ports_(loops_, logger),
      api_server_(api_loops_, ApiLimits(), nullptr, logger) {
  node_.programs_folder = base::ProgramFolder();
  // For replicas that listen on ports: only this machine can reach them.
  node_.environment = {"INFERD_HTTP_ADDRESS=127.0.0.1", "INFERD_GRPC_ADDRESS=127.0.0.1",
                       "INFERD_METRICS_ADDRESS=127.0.0.1",
                       // The gateway stops sending requests before it ends them.
                       "INFERD_DRAIN_GRACE=0s"};
  std::ranges::move(node::ReplicaEnvironment(options_.replica_environment), std::back_inserter(node_.environment));
  node_.wake = [this] { wake_.Wake(); };
  node_.on_log = [this](const std::string& line) { logger_.Warning(line); };
}

LocalController::~LocalController() {
  api_server_.Stop();
  server_.Stop();
  services_.reset();
}

ScaleTime LocalController::Now() const {
  return std::chrono::duration_cast<ScaleTime>(std::chrono::steady_clock::now().time_since_epoch());
}

void LocalController::Say(bool bad, const std::string& line) {
  if (bad) {
    logger_.Error(line);
  } else {
    logger_.Info(line);
  }
}

// Binds the ports before serving starts, because transformers and statuses need the gateway's address.
base::Status LocalController::BindListeners() {
  net::ListenerOptions listener;
  listener.name = "http";
  listener.address = options_.address;
  listener.port = options_.port;
  if (options_.pass_control_calls) gateway_.PassControlCalls();
  listener.handlers = gateway_.Handlers();
  INFERD_RETURN_IF_ERROR(server_.Bind(std::move(listener)));
  return BindApi();
}

// Binds the API's port first. The names of the socket and the kubeconfig have the port, so the port's owner owns them
// too.
base::Status LocalController::BindApi() {
  INFERD_ASSIGN_OR_RETURN(const ApiKeys keys, KeepApiKeys(folder_->path(), options_.api_address, std::time(nullptr)));
  api_ = std::make_unique<apiserver::ApiServer>(cluster_.registry(), &logs_, clock_, net::SecretDigest(keys.token));
  net::ListenerOptions api;
  api.name = "api";
  api.address = options_.api_address;
  api.port = options_.api_port;
  // kubectl sends a token over TLS only. Plain requests are answered too.
  api.tls.emplace();
  api.tls->own_certificate = [pair = keys.certificate] { return pair; };
  api.tls->or_plain = true;
  api.handlers = api_->Handlers();
  INFERD_RETURN_IF_ERROR(api_server_.Bind(std::move(api)).WithContext("--api-port"));
  client_files_ =
      kubernetes::LocalFilesIn(MakeClientFolder(folder_->path(), storage::ProcessEnvironment()), api_port());
  net::ListenerOptions socket;
  socket.name = "api-socket";
  socket.unix_path = client_files_.socket;
  socket.own_users_only = true;
  socket.handlers = api_->Handlers();
  INFERD_RETURN_IF_ERROR(
      api_server_.Bind(std::move(socket)).WithContext("the API's socket (XDG_RUNTIME_DIR places it)"));
  const std::string place = PlaceOf(options_.api_address, api_port());
  return kubeconfig_.Write(client_files_.kubeconfig, KubeconfigText(place, client_files_.socket, keys),
                           folder_->temporary());
}

RunnerServices LocalController::ForRunners() {
  return {.node = node_,
          .config = cluster_.config(),
          .say = [this](bool bad, const std::string& line) { Say(bad, line); },
          .gateway = [this] { return PlaceOf(options_.address, port()); },
          .ports = &ports_,
          .records = records_.get()};
}

base::Status LocalController::Start() {
  INFERD_ASSIGN_OR_RETURN(node::WorkFolder folder, node::WorkFolder::Make(options_.folder));
  folder_.emplace(std::move(folder));
  // A temporary folder is deleted at the end, so the objects stay in memory.
  INFERD_RETURN_IF_ERROR(cluster_.Open(folder_->temporary() ? std::string() : folder_->path() + "/" + kDatabase,
                                       [this] { wake_.Wake(); }));
  // This process holds the database now, and thereby the folder.
  INFERD_ASSIGN_OR_RETURN(node_.folder, folder_->ClaimModels());
  node_.claims_folder = folder_->path() + "/claims";
  keeper_ = std::make_unique<node::ResourceKeeper>();
  node_.keeper = keeper_.get();
  if (!keeper_->why_no_groups().empty()) {
    logger_.Info("replicas have no control groups", {{"why", keeper_->why_no_groups()}});
  }
  INFERD_ASSIGN_OR_RETURN(sockets_, node::SocketFolder::Make());
  node_.take_socket = [this] { return sockets_->TakePath(); };
  node_.find_data = [this](const node::DataSource& source) { return ReadPodData(cluster_.registry(), source); };
  node_.find_initializer = [this](const model::ResolvedPod& pod) { return FindInitializer(pod); };
  const std::vector<std::string> runtimes =
      options_.runtimes.empty() ? std::vector{model::DefaultRuntimesFolder()} : options_.runtimes;
  files_ = std::make_unique<FileSource>(options_.files, runtimes, cluster_.registry());
  records_ = std::make_unique<RevisionRecords>(cluster_.registry());
  services_ = std::make_unique<ServiceSet>(cluster_, ForRunners());
  writes_ = std::make_unique<WriteQueue>(kWritersOfStatuses);
  graphs_ = std::make_unique<GraphSet>(cluster_, ForRunners(), *writes_);
  models_ = std::make_unique<TrainedModels>(cluster_, *writes_);
  INFERD_RETURN_IF_ERROR(BindListeners());
  statuses_ = std::make_unique<StatusWriter>(cluster_, port(), logs_, *writes_);
  INFERD_RETURN_IF_ERROR(files_->Load());
  Tick();
  server_.Accept();
  api_server_.Accept();
  std::cerr << ExportLine(client_files_.kubeconfig) + "\n";
  logger_.Info("listening", {{"listener", "api-socket"}, {"path", client_files_.socket}});
  logger_.Info("listening", {{"listener", "api"}, {"address", options_.api_address}, {"port", api_port()}});
  logger_.Info("listening", {{"listener", "http"}, {"address", options_.address}, {"port", port()}});
  return base::OkStatus();
}

base::Result<model::StorageInitializer> LocalController::FindInitializer(const model::ResolvedPod& pod) {
  INFERD_ASSIGN_OR_RETURN(
      model::StorageInitializer initializer,
      model::MakeStorageInitializer(pod, cluster_.ReadConfig(), [&](std::string_view kind, std::string_view name) {
        return ReadPodObject(cluster_.registry(), kind, pod.namespace_name, name);
      }));
  if (node::IsOfThisMachine(initializer.source) || initializer.unused_secrets.empty()) return initializer;
  const auto service = pod.labels.find(model::kInferenceServiceLabel);
  if (service == pod.labels.end()) return initializer;
  const auto stored = cluster_.registry().Get(ServiceType(), pod.namespace_name, service->second);
  if (!stored.has_value()) return initializer;
  std::string secrets;
  for (const std::string& secret : initializer.unused_secrets) secrets += (secrets.empty() ? "" : ", ") + secret;
  cluster_.events().Record(apiserver::ParseStored((*stored)->json), "Warning", "SecretsNotUnderstood",
                           "the model " + base::ShownUri(initializer.source) +
                               " is brought without these secrets of the service account " + initializer.account +
                               ", which have no keys of a storage: " + secrets);
  return initializer;
}

void LocalController::LookAtFiles() {
  const ScaleTime now = Now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  if (const base::Status loaded = files_->LoadChanges(); !loaded.ok()) {
    logger_.Error("what has changed is not applied: " + std::string(loaded.message()));
  }
}

void LocalController::Tick() {
  const ScaleTime now = Now();
  const LocalCluster::Changes changes = cluster_.Refresh();
  // Graphs call services by their URLs, so services come first.
  bool graphs = services_->Follow(changes, now);
  graphs |= graphs_->Follow(changes);
  models_->Follow(changes, *services_);
  if (services_->Tick(now) || graphs) SetRoutes(graphs);
  statuses_->Write(*services_);
  models_->Write(*services_);
  graphs_->Write();
}

void LocalController::SetRoutes(bool graphs) {
  services_->UpdateRoutes(routes_);
  if (graphs) {
    graphs_->UpdateRoutes(
        routes_, [this](const std::string& space, const std::string& name) { return services_->UrlOf(space, name); });
  }
  gateway_.SetRoutes(std::make_shared<const gateway::RouteTable>(routes_));
}

void LocalController::Run(int signals) {
  while (wake_.Await(signals, kTick)) {
    LookAtFiles();
    Tick();
  }
  Drain();
}

void LocalController::Drain() {
  logger_.Info("draining");
  api_server_.Stop();
  server_.AnnounceDrain();
  server_.RefuseConnections();
  server_.BeginDrain();
  const auto until = std::chrono::steady_clock::now() + kDrainTime;
  while (!server_.WaitUntilIdle(kTick) && std::chrono::steady_clock::now() < until) Tick();
  services_->Clear();
}

}  // namespace inferd::local
