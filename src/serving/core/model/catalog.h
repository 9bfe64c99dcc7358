#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "config/options/served_model.h"
#include "serving/core/model/model_signature.h"
#include "serving/core/model/scheduler_report.h"

namespace inferd::core {

// Triton's repository extension: model states.
enum class ModelState { kUnknown, kReady, kUnavailable, kLoading, kUnloading };
std::string_view ModelStateName(ModelState state);  // "READY"

struct IndexEntry {
  std::string name;
  std::string version;  // empty if the model has no version at all (a model that could not be read)
  ModelState state = ModelState::kUnknown;
  std::string reason;  // why it is not READY, or its requests fail at present; "unloaded" after an unload
  std::string repository;
  base::StatusCode failed_code = base::StatusCode::kOk;  // the error code of `reason`, if loading failed
  bool on_demand = false;                                // it is not loaded now; a request loads it
};

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;  // ready ones, ascending, or just the requested one
  std::string platform;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::map<std::string, std::string> parameters;  // config.pbtxt `parameters`
  std::string batching = {};  // how it was decided if requests share executions, where the configuration does not say
};

// The number of times that a phase ran, and its total time.
struct DurationStat {
  uint64_t count = 0;
  uint64_t ns = 0;
};

// Triton's statistics extension, per version.
struct ModelStatistics {
  std::string name;
  std::string version;
  uint64_t last_inference_ms = 0;  // since the epoch; 0 if never
  uint64_t inference_count = 0;    // rows
  uint64_t execution_count = 0;    // engine calls
  DurationStat success, fail, queue, compute_input, compute_infer, compute_output, cache_hit, cache_miss;
  struct Batch {
    uint64_t batch_size = 0;
    DurationStat compute_input, compute_infer, compute_output;
  };
  std::vector<Batch> batches;  // ascending by size
  // Requests by their number of rows, as the TensorRT Inference Server counted them.
  struct Requests {
    uint64_t rows = 0;
    DurationStat success, fail, queue, compute;
  };
  std::vector<Requests> requests = {};  // ascending by rows
  // Responses by their index within their request, of a model that may give any number of them.
  struct Response {
    uint64_t index = 0;
    DurationStat compute_infer, compute_output, success, fail, empty, cancel;
  };
  std::vector<Response> responses = {};  // ascending by index
};

// The last state of a model's versions that no longer serve. If the model's folder is gone, that is all of its
// versions.
struct DepartedModel {
  std::string name;
  std::string config_json;                  // as from ConfigJson; empty if no version of the model was ready
  std::vector<IndexEntry> versions;         // ascending; none is ready
  std::vector<ModelStatistics> statistics;  // of the versions that served: executions, rows, and requests by rows
};

// A load call (Triton's repository extension). It may bring a configuration that replaces the one on disk, and files
// that replace the version folders.
struct LoadCall {
  std::string model = {};
  std::string repository = {};                                  // empty means any that has the model
  std::string config_json = {};                                 // empty means the one on disk
  std::vector<std::pair<std::string, std::string>> files = {};  // "<version>/<path>" -> bytes
  // If false, and the model that the call brings would run code, the call fails with PERMISSION_DENIED.
  bool may_run_code = true;

  // Returns true if the call brings a configuration or files.
  bool brings() const { return !config_json.empty() || !files.empty(); }
};

struct UnloadCall {
  std::string model = {};
  std::string repository = {};
  bool unload_dependents = false;
};

// Called once on any thread.
using ControlCallback = std::move_only_function<void(base::Status)>;

// Answers the front-ends' questions about the server and its models, and loads and unloads models. Thread-safe.
// `version` is the client's text; if it is empty, the server chooses. Errors: NOT_FOUND for an unknown model or
// version, UNAVAILABLE for a known one that is not ready.
class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual bool ServerLive() const = 0;
  virtual bool ServerReady() const = 0;
  // Returns true if the server has tried to load every model of the initial set: each one serves or has failed.
  virtual bool StartupTried() const { return ServerReady(); }
  // Returns true if a wrong configuration at the start keeps the server neither live nor ready, for good. May read
  // files once, so do not call it on a loop.
  virtual bool StartupFailed() const { return false; }
  // Returns OK if the version is ready. NOT_FOUND if there is no such model or version. UNAVAILABLE if it is known and
  // not ready, or its requests fail at present.
  virtual base::Status ModelReady(std::string_view model, std::string_view version) const = 0;
  // As ModelReady, and also asks the model's own code if it has a readiness check: UNAVAILABLE if the code does not
  // report within a few seconds that it is ready. The callback runs on any thread, perhaps before this returns.
  virtual void AskModelReady(std::string_view model, std::string_view version, ControlCallback done) const {
    done(ModelReady(model, version));
  }
  virtual base::Result<ModelMetadata> Metadata(std::string_view model, std::string_view version) const = 0;
  // Returns the completed ModelConfig as JSON (proto field names, defaults printed, int64 as numbers).
  virtual base::Result<std::string> ConfigJson(std::string_view model, std::string_view version) const = 0;
  // As ConfigJson, also for a model that is not ready: the part of its configuration that is known without its engine.
  // Reads files, so do not call it on a loop. Errors also: those of an invalid configuration.
  virtual base::Result<std::string> WrittenConfigJson(std::string_view model) const { return ConfigJson(model, ""); }
  // Returns the statistics of one model, or of all if `model` is empty.
  virtual base::Result<std::vector<ModelStatistics>> Statistics(std::string_view model,
                                                                std::string_view version) const = 0;
  // Returns how requests to a ready version are scheduled.
  virtual base::Result<SchedulerReport> Scheduling(std::string_view model, std::string_view version) const = 0;
  // Lists the models of a repository, or of all if `repository` is empty. NOT_FOUND if the repository is unknown.
  virtual base::Result<std::vector<IndexEntry>> Index(std::string_view repository, bool ready_only) const = 0;
  // Lists a model's present and former versions, ascending, without their repository. Empty if the server never
  // examined the model. NOT_FOUND if there is no such model.
  virtual base::Result<std::vector<IndexEntry>> Versions(std::string_view model) const = 0;
  virtual std::vector<std::string> ModelNames() const = 0;
  // Returns models whose folders are gone, by name: the latest few hundred, or `model` alone if it is not empty. A
  // model that is still being unloaded, or has come back, may be listed too. In that case Versions() also has it.
  virtual std::vector<DepartedModel> Departed(std::string_view /*model*/) const { return {}; }
  // Returns the versions of one model that served earlier, or should have, even if its folder still exists. A version
  // that serves again is included, with the counts of its earlier loads. The name is empty if there are no such
  // versions.
  virtual DepartedModel DepartedVersions(std::string_view /*model*/) const { return {}; }

  // Return at once. The callback runs when the model serves, or with the reason why it does not. Concurrent loads of
  // one model become one load.
  virtual void Load(LoadCall call, ControlCallback done) = 0;
  virtual void Unload(UnloadCall call, ControlCallback done) = 0;

  // Replaces the set of models that are served by name. Models that are in both sets go on undisturbed. The callback
  // runs when each new model has been tried. These errors change nothing: INVALID_ARGUMENT (a platform would change),
  // FAILED_PRECONDITION (a label for a version that is not ready, or the server does not serve models by name) and
  // UNAVAILABLE (starting or shutting down). UNKNOWN if new models did not come up; the others serve.
  virtual void ReplaceModels(std::vector<config::ServedModel> models, ControlCallback done) = 0;
};

}  // namespace inferd::core
