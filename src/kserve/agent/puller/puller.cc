#include "kserve/agent/puller/puller.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "kserve/agent/puller/server_watch.h"

namespace inferd::agent {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAtStop{100};
constexpr std::chrono::seconds kLoadTimeout{600};
constexpr std::chrono::seconds kCompareTimeout{5};

// Reads the list. Kubernetes replaces the file of a ConfigMap as a whole.
base::Result<std::string> ReadList(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return std::unexpected(base::NotFound(path.string() + ": " + error.message()));
  if (size > kModelListBytesMax) return std::unexpected(base::ResourceExhausted(path.string() + " is too long"));
  std::ifstream file(path);
  std::string text = (std::ostringstream() << file.rdbuf()).str();
  if (!file) return std::unexpected(base::Unavailable(path.string() + " cannot be read"));
  return text;
}

}  // namespace

Puller::Puller(PullerOptions options, metrics::Registry& registry, base::Logger& logger)
    : options_(std::move(options)),
      logger_(logger),
      store_(options_.model_folder),
      wanted_(registry.AddGauge("inferd_agent_models", "Models of the list", {})),
      ready_(registry.AddGauge("inferd_agent_models_ready", "Those of them that are loaded", {})),
      failures_(
          registry.AddCounter("inferd_agent_model_failures_total", "Tries to bring or load a model that failed", {})),
      states_(store_.List()) {
  threads_.emplace_back([this] { Watch(stop_.get_token()); });
  threads_.emplace_back([this] { WatchServer(stop_.get_token()); });
  for (size_t i = 0; i < std::max<size_t>(options_.workers, 1); ++i) {
    threads_.emplace_back([this] { Work(stop_.get_token()); });
  }
}

Puller::~Puller() {
  {
    const base::MutexLock lock(mutex_);
    stop_.request_stop();
  }
  changed_.NotifyAll();
  threads_.clear();
}

bool Puller::AwaitFirstModels(const std::stop_token& stop) {
  const base::MutexLock lock(mutex_);
  while (!stop.stop_requested() && (!listed_ || states_.untried() > 0)) {
    changed_.WaitUntil(mutex_, Clock::now() + kLookAtStop);
  }
  return !stop.stop_requested();
}

void Puller::Watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    LookAtList();
    if (!Rest(options_.look_every, stop)) return;
  }
}

bool Puller::Rest(std::chrono::milliseconds pause, const std::stop_token& stop) {
  const base::MutexLock lock(mutex_);
  const auto until = Clock::now() + pause;
  while (!stop.stop_requested() && Clock::now() < until) changed_.WaitUntil(mutex_, until);
  return !stop.stop_requested();
}

void Puller::WatchServer(const std::stop_token& stop) {
  modelcalls::ModelCalls calls(options_.component.address(), kCompareTimeout);
  while (Rest(options_.compare_every, stop)) CompareWithServer(calls);
}

void Puller::CompareWithServer(modelcalls::ModelCalls& calls) {
  const auto asked = Clock::now();
  std::optional<std::string> sample;
  {
    const base::MutexLock lock(mutex_);
    sample = states_.LoadedBefore(asked);
  }
  if (!sample.has_value()) return;
  const ServerModels models = AskForModels(calls, *sample);
  if (!models.known) return;
  size_t lost = 0;
  {
    const base::MutexLock lock(mutex_);
    lost = states_.Compare([&](const std::string& name) { return models.Has(name); }, asked, Clock::now());
    Count();
  }
  if (lost == 0) return;
  logger_.Warning("the model server has lost models, which are loaded again", {{"models", static_cast<int64_t>(lost)}});
  changed_.NotifyAll();
}

void Puller::LookAtList() {
  auto text = ReadList(std::filesystem::path(options_.config_folder) / "models.json");
  if (text.has_value() && *text == text_ && fault_.empty()) return;
  const auto models = text.has_value() ? ParseModelList(*text) : std::unexpected(text.error());
  std::string fault = models.has_value() ? std::string() : std::string(models.error().message());
  if (!fault.empty() && fault != fault_) logger_.Error("models.json changes nothing", {{"reason", fault}});
  fault_ = std::move(fault);
  if (!models.has_value()) return;
  text_ = *std::move(text);
  {
    const base::MutexLock lock(mutex_);
    states_.Want(*models);
    listed_ = true;
    Count();
  }
  changed_.NotifyAll();
}

void Puller::Count() {
  wanted_->Set(static_cast<int64_t>(states_.wanted()));
  ready_->Set(static_cast<int64_t>(states_.ready()));
}

void Puller::Work(const std::stop_token& stop) {
  modelcalls::ModelCalls calls(options_.component.address(), kLoadTimeout);
  base::MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    // Models of an earlier run must not be removed before a list has been read.
    const auto step = listed_ ? states_.Begin(Clock::now()) : std::nullopt;
    if (!step.has_value()) {
      const auto due = listed_ ? states_.NextDue() : std::nullopt;
      if (due.has_value()) {
        changed_.WaitUntil(mutex_, *due);
      } else {
        changed_.Wait(mutex_);
      }
      continue;
    }
    lock.unlock();
    Take(*step, calls, stop);
    lock.lock();
  }
}

void Puller::Take(const ModelStep& step, modelcalls::ModelCalls& calls, const std::stop_token& stop) {
  base::Status status;
  std::optional<PulledModel> here = step.wanted;
  bool loaded = false;
  if (!step.wanted.has_value()) {
    // Unloading may fail because the server lacks the model or is gone. The files are removed anyway.
    if (const base::Status unloaded = calls.Unload(step.name); !unloaded.ok()) {
      logger_.Warning("unloading failed", {{"model", step.name}, {"reason", unloaded.message()}});
    }
    store_.Remove(step.name);
  } else {
    if (!step.here) status = store_.Bring(step.name, *step.wanted, stop);
    if (!status.ok()) {
      here = store_.Find(step.name);
    } else {
      status = calls.Load(step.name);
      loaded = status.ok();
    }
  }
  if (!stop.stop_requested()) Say(step.name, status);
  {
    const base::MutexLock lock(mutex_);
    states_.Done(step, here, loaded, Clock::now());
    Count();
  }
  changed_.NotifyAll();
}

void Puller::Say(const std::string& name, const base::Status& status) {
  if (status.ok()) return logger_.Info("model is as the list says", {{"model", name}});
  failures_->Add();
  logger_.Error("model is not as the list says", {{"model", name}, {"reason", status.message()}});
}

}  // namespace inferd::agent
