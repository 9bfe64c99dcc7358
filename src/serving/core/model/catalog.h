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
  std::string version;  // empty: the model has no version at all (a model that could not be read)
  ModelState state = ModelState::kUnknown;
  std::string reason;  // why it is not READY, or its requests fail for the time being; "unloaded" after an unload
  std::string repository;
  base::StatusCode failed_code = base::StatusCode::kOk;  // of `reason`, where that is why it could not be loaded
  bool on_demand = false;                                // it is not loaded, and is as soon as a request needs it
};

struct ModelMetadata {
  std::string name;
  std::vector<std::string> versions;  // ready ones ascending, or just the one asked for
  std::string platform;
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::map<std::string, std::string> parameters;  // config.pbtxt `parameters`
  std::string batching = {};  // where its configuration does not say it: whether requests share executions, and why
};

// Count and total of one phase.
struct DurationStat {
  uint64_t count = 0;
  uint64_t ns = 0;
};

// Triton's statistics extension, per version.
struct ModelStatistics {
  std::string name;
  std::string version;
  uint64_t last_inference_ms = 0;  // since the epoch; 0: never
  uint64_t inference_count = 0;    // rows
  uint64_t execution_count = 0;    // engine calls
  DurationStat success, fail, queue, compute_input, compute_infer, compute_output, cache_hit, cache_miss;
  struct Batch {
    uint64_t batch_size = 0;
    DurationStat compute_input, compute_infer, compute_output;
  };
  std::vector<Batch> batches;  // ascending by size
  // Requests by the rows that each brought, as the TensorRT Inference Server counted them.
  struct Requests {
    uint64_t rows = 0;
    DurationStat success, fail, queue, compute;
  };
  std::vector<Requests> requests = {};  // ascending by rows
  // Responses by their place among those of their request, of a model that may give any number of them.
  struct Response {
    uint64_t index = 0;
    DurationStat compute_infer, compute_output, success, fail, empty, cancel;
  };
  std::vector<Response> responses = {};  // ascending by index
};

// Versions of a model that do not serve any more, as they were last: all of a model whose folder has gone.
struct DepartedModel {
  std::string name;
  std::string config_json;                  // as ConfigJson had it; empty: no version of it was ready
  std::vector<IndexEntry> versions;         // ascending; none is ready any more
  std::vector<ModelStatistics> statistics;  // of those that served: executions, rows, and requests by rows
};

// A load call (Triton's repository extension): optionally a configuration in place of the one on disk, and files in
// place of the version folders.
struct LoadCall {
  std::string model = {};
  std::string repository = {};                                  // empty: whichever has it
  std::string config_json = {};                                 // empty: the one on disk
  std::vector<std::pair<std::string, std::string>> files = {};  // "<version>/<path>" -> bytes
  // Where it is not, PERMISSION_DENIED for what the call brings, if such a model runs code.
  bool may_run_code = true;

  // Whether the caller decides what the model is.
  bool brings() const { return !config_json.empty() || !files.empty(); }
};

struct UnloadCall {
  std::string model = {};
  std::string repository = {};
  bool unload_dependents = false;
};

// Called once on any thread.
using ControlCallback = std::move_only_function<void(base::Status)>;

// What the server has, for the front-ends' questions about it and for loading and unloading. Thread-safe. `version` is
// the client's text; empty: the server chooses. Errors: NOT_FOUND for what is not known, UNAVAILABLE for what is known
// and not ready.
class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual bool ServerLive() const = 0;
  virtual bool ServerReady() const = 0;
  // Whether every model of the initial set was tried: it serves, or cannot.
  virtual bool StartupTried() const { return ServerReady(); }
  // Whether a configuration that was wrong at the start has the server neither live nor ready, for good. May read files
  // once, so not on a loop.
  virtual bool StartupFailed() const { return false; }
  // OK: ready. NOT_FOUND: no such model or version. UNAVAILABLE: known, not ready, or its requests fail for the time
  // being.
  virtual base::Status ModelReady(std::string_view model, std::string_view version) const = 0;
  // The same, and what the model's own code says of it, where it does: UNAVAILABLE if it does not say in some seconds
  // that it is ready. The callback comes on any thread, perhaps before this returns.
  virtual void AskModelReady(std::string_view model, std::string_view version, ControlCallback done) const {
    done(ModelReady(model, version));
  }
  virtual base::Result<ModelMetadata> Metadata(std::string_view model, std::string_view version) const = 0;
  // The completed ModelConfig as JSON (proto field names, defaults printed, int64 as numbers).
  virtual base::Result<std::string> ConfigJson(std::string_view model, std::string_view version) const = 0;
  // As ConfigJson, of a model that may not be ready: as far as its configuration is known without its engine. Reads
  // files, so not on a loop. Errors also: what is wrong with the configuration.
  virtual base::Result<std::string> WrittenConfigJson(std::string_view model) const { return ConfigJson(model, ""); }
  // Of one model, or of all if `model` is empty.
  virtual base::Result<std::vector<ModelStatistics>> Statistics(std::string_view model,
                                                                std::string_view version) const = 0;
  // How a ready version's requests are scheduled.
  virtual base::Result<SchedulerReport> Scheduling(std::string_view model, std::string_view version) const = 0;
  // `repository` empty: all. NOT_FOUND for an unknown one.
  virtual base::Result<std::vector<IndexEntry>> Index(std::string_view repository, bool ready_only) const = 0;
  // Of one model: the versions that there are or were, ascending, without their repository. None: nothing of it was
  // ever looked at. NOT_FOUND: no such model.
  virtual base::Result<std::vector<IndexEntry>> Versions(std::string_view model) const = 0;
  virtual std::vector<std::string> ModelNames() const = 0;
  // Models whose folders have gone, the latest few hundred, by name; `model` not empty: that one, if it is one of them.
  // One that is still being unloaded, or has come back, may be there too: Versions() has it then.
  virtual std::vector<DepartedModel> Departed(std::string_view /*model*/) const { return {}; }
  // The versions of one model that served earlier, or were to, whether its folder has gone or not. A version that
  // serves again is there, too, with what its earlier loads counted. No name: there are none.
  virtual DepartedModel DepartedVersions(std::string_view /*model*/) const { return {}; }

  // Return at once; the callback comes when the model serves (or does not), with why. Concurrent loads of one model
  // become one load.
  virtual void Load(LoadCall call, ControlCallback done) = 0;
  virtual void Unload(UnloadCall call, ControlCallback done) = 0;

  // Serves these named models in place of all that were named before, which go on undisturbed as far as they stay. The
  // callback comes when each that is new has been tried. Nothing is changed by INVALID_ARGUMENT (a platform that would
  // change), FAILED_PRECONDITION (a label for a version that is not ready, or no models are served by name),
  // UNAVAILABLE (starting or shutting down); UNKNOWN: new models that did not come up, the others serve.
  virtual void ReplaceModels(std::vector<config::ServedModel> models, ControlCallback done) = 0;
};

}  // namespace inferd::core
