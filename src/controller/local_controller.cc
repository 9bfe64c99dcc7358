#include "controller/local_controller.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <utility>

#include "base/system/program_folder.h"
#include "controlplane/resolve/review.h"

namespace inferd::controller {

namespace {

namespace fs = std::filesystem;

using controlplane::InferenceService;
using controlplane::Object;
using controlplane::ScaleTime;

constexpr int kTickMs = 100;
constexpr ScaleTime kLookEvery{500};
constexpr std::chrono::seconds kDrainTime{30};

std::string KeyOf(const controlplane::ObjectMeta& metadata) { return metadata.namespace_name + "/" + metadata.name; }

// What KServe's configuration is where there is no cluster: no gateway of Istio's, and a path beside the host's name.
controlplane::InferenceServiceConfig LocalConfig(const std::string& domain) {
  controlplane::InferenceServiceConfig config;
  config.ingress.domain = domain;
  config.ingress.path_template = "/serving/{{ .Namespace }}/{{ .Name }}";
  config.ingress.disable_virtual_service = true;
  return config;
}

// Where processes of this machine reach what listens there.
std::string GatewayPlace(const std::string& address, uint16_t port) {
  const bool any = address == "0.0.0.0" || address == "::" || address == "localhost";
  const std::string host = any ? "127.0.0.1" : address.find(':') != std::string::npos ? "[" + address + "]" : address;
  return host + ":" + std::to_string(port);
}

}  // namespace

LocalController::LocalController(LocalOptions options, base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      config_(LocalConfig(options_.domain)),
      server_(loops_, net::Limits(), nullptr, logger) {
  node_.programs_folder = base::ProgramFolder();
  // Replicas are reached by the gateway alone.
  node_.environment = {"INFERD_HTTP_ADDRESS=127.0.0.1", "INFERD_GRPC_ADDRESS=127.0.0.1",
                       "INFERD_METRICS_ADDRESS=127.0.0.1",
                       // It has stopped to send them requests before it ends them.
                       "INFERD_DRAIN_GRACE=0s"};
  node_.wake = [this] {
    const uint64_t one = 1;
    static_cast<void>(write(wake_.get(), &one, sizeof(one)));
  };
  node_.on_log = [this](const std::string& line) { logger_.Warning(line); };
}

LocalController::~LocalController() {
  server_.Stop();
  services_.clear();
  std::error_code ignored;
  if (folder_is_ours_) fs::remove_all(folder_, ignored);
}

ScaleTime LocalController::Now() const {
  return std::chrono::duration_cast<ScaleTime>(std::chrono::steady_clock::now().time_since_epoch());
}

base::Status LocalController::Start() {
  folder_ = options_.folder;
  if (folder_.empty()) {
    std::error_code error;
    std::string made = (fs::temp_directory_path(error) / "inferd-controller.XXXXXX").string();
    if (error || mkdtemp(made.data()) == nullptr) return base::Unavailable("no temporary folder can be made");
    folder_ = made;
    folder_is_ours_ = true;
  }
  node_.folder = folder_;
  const std::vector<std::string> places =
      options_.runtimes.empty() ? std::vector{controlplane::DefaultRuntimesFolder()} : options_.runtimes;
  INFERD_RETURN_IF_ERROR(known_runtimes_.AddSound(places).WithContext("runtimes"));
  // Transformers are told where the gateway is, before it serves.
  net::ListenerOptions listener;
  listener.name = "http";
  listener.address = options_.address;
  listener.port = options_.port;
  listener.handlers = gateway_.Handlers();
  INFERD_RETURN_IF_ERROR(server_.Bind(std::move(listener)));
  INFERD_ASSIGN_OR_RETURN(stamps_, LookAtFiles());
  INFERD_RETURN_IF_ERROR(Apply(stamps_));
  server_.Accept();
  logger_.Info("listening", {{"listener", "http"}, {"address", options_.address}, {"port", port()}});
  return base::OkStatus();
}

base::Result<LocalController::Stamps> LocalController::LookAtFiles() const {
  Stamps stamps;
  for (const std::string& path : options_.files) {
    INFERD_ASSIGN_OR_RETURN(const std::vector<std::string> files, controlplane::ManifestsOf(path));
    for (const std::string& file : files) {
      std::error_code error;
      FileStamp& stamp = stamps[file];
      stamp.modified_ns = fs::last_write_time(file, error).time_since_epoch().count();
      stamp.size = error ? 0 : fs::file_size(file, error);
    }
  }
  return stamps;
}

base::Status LocalController::Apply(const Stamps& stamps) {
  controlplane::ObjectFiles files;
  for (const auto& [file, stamp] : stamps) INFERD_RETURN_IF_ERROR(files.Add(file));
  std::vector<const Object*> objects;
  for (const Object& object : files.objects()) objects.push_back(&object);
  const auto reviews = controlplane::ReviewObjects(objects, known_runtimes_.runtimes());
  base::Status fault;
  std::set<std::string> keys;
  for (const controlplane::ObjectReview& review : reviews) {
    for (const manifest::Problem& problem : review.problems) {
      const std::string text = problem.ToString(files.files().at(review.object));
      if (fault.ok()) fault = base::InvalidArgument(text);
    }
    const auto* service = std::get_if<InferenceService>(&review.object->typed);
    if (service != nullptr && !keys.insert(KeyOf(service->metadata)).second) {
      fault = base::InvalidArgument("the InferenceService " + KeyOf(service->metadata) + " is there twice");
    }
  }
  INFERD_RETURN_IF_ERROR(fault);

  const controlplane::ReviewContext context = controlplane::ContextOf(objects, known_runtimes_.runtimes());
  if (context.config != nullptr) {
    config_ = *context.config;
    config_.ingress.disable_virtual_service = true;
  }
  for (const Object* object : objects) {
    const auto* service = std::get_if<InferenceService>(&object->typed);
    if (service == nullptr) continue;
    std::unique_ptr<ServiceRunner>& runner = services_[KeyOf(service->metadata)];
    if (runner == nullptr) {
      runner = std::make_unique<ServiceRunner>(KeyOf(service->metadata), ServicesOfRunners());
    }
    runner->Apply(*service, context.runtimes, Now());
  }
  for (const auto& [key, runner] : services_) {
    if (!keys.contains(key)) runner->Remove();
  }
  graphs_.clear();
  for (const Object* object : objects) {
    const auto* graph = std::get_if<controlplane::InferenceGraph>(&object->typed);
    if (graph == nullptr) continue;
    const std::string key = KeyOf(graph->metadata);
    graphs_[key] = std::make_unique<GraphRunner>(key, ServicesOfRunners());
    graphs_[key]->Apply(*graph);
  }
  Tick();
  SetRoutes();
  return base::OkStatus();
}

RunnerServices LocalController::ServicesOfRunners() {
  return {.node = node_,
          .config = config_,
          .say = [this](bool bad, const std::string& line) { Say(bad, line); },
          .gateway = [this] { return GatewayPlace(options_.address, port()); }};
}

std::string LocalController::UrlOf(const std::string& key) const {
  const auto found = services_.find(key);
  return found == services_.end() ? "" : found->second->Url();
}

void LocalController::Say(bool bad, const std::string& line) {
  if (bad) {
    logger_.Error(line);
  } else {
    logger_.Info(line);
  }
}

void LocalController::ApplyChanges() {
  const ScaleTime now = Now();
  if (now - looked_ < kLookEvery) return;
  looked_ = now;
  const auto stamps = LookAtFiles();
  if (!stamps.has_value() || *stamps == stamps_) return;
  stamps_ = *stamps;
  if (const base::Status applied = Apply(stamps_); !applied.ok()) {
    logger_.Error("what has changed is not applied: " + std::string(applied.message()));
  }
}

void LocalController::Tick() {
  bool changed = false;
  const ScaleTime now = Now();
  for (const auto& [key, runner] : services_) changed |= runner->Tick(now);
  changed |= std::erase_if(services_, [](const auto& entry) { return entry.second->gone(); }) > 0;
  if (changed) SetRoutes();
}

void LocalController::SetRoutes() {
  auto table = std::make_shared<gateway::RouteTable>();
  for (const auto& [key, runner] : services_) runner->AddRoutes(*table);
  for (const auto& [key, runner] : graphs_) {
    runner->AddRoutes(*table,
                      [this](const std::string& space, const std::string& name) { return UrlOf(space + "/" + name); });
  }
  gateway_.SetRoutes(std::move(table));
}

void LocalController::Run(int signals) {
  for (;;) {
    std::array<pollfd, 2> files = {pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0},
                                   pollfd{.fd = signals, .events = POLLIN, .revents = 0}};
    poll(files.data(), files.size(), kTickMs);
    if (files[1].revents != 0) break;
    uint64_t count = 0;
    static_cast<void>(read(wake_.get(), &count, sizeof(count)));
    ApplyChanges();
    Tick();
  }
  Drain();
}

void LocalController::Drain() {
  logger_.Info("draining");
  server_.AnnounceDrain();
  server_.RefuseConnections();
  server_.BeginDrain();
  const auto until = std::chrono::steady_clock::now() + kDrainTime;
  while (!server_.WaitUntilIdle(std::chrono::milliseconds(kTickMs)) && std::chrono::steady_clock::now() < until) Tick();
  for (const auto& [key, runner] : services_) runner->Remove();
  services_.clear();
}

}  // namespace inferd::controller
