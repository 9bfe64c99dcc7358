#include "serving/enginehost/plugin_engine.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/system/usable_cpus.h"
#include "config/format/format_table.h"
#include "config/model/instances.h"
#include "config/model/model_config_document.h"
#include "serving/enginehost/guard/division_guard.h"
#include "serving/enginehost/model/abi_values.h"
#include "serving/enginehost/model/engine_memory.h"
#include "serving/enginehost/op_libraries.h"
#include "serving/enginehost/plugin_model.h"
#include "serving/enginehost/thread_budget.h"

namespace inferd::enginehost {

namespace {

using EntryPoint = decltype(&inferd_engine_v1);

// The table must never be freed: the library keeps it and is never closed.
HostTable* NewHostTable(const EngineOptions& options) {
  static base::Mutex mutex;
  static auto* const tables = new std::vector<std::unique_ptr<HostTable>>();
  base::MutexLock lock(mutex);
  return tables->emplace_back(std::make_unique<HostTable>(options.logger, options.cpu_threads)).get();
}

base::Status Refusal(const std::filesystem::path& path, std::string_view why) {
  return base::FailedPrecondition("engine library '" + path.string() + "' " + std::string(why));
}

base::Result<EntryPoint> OpenLibrary(const std::filesystem::path& path) {
  // RTLD_LOCAL: the symbols of one engine's libraries must not resolve references of another engine's.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return std::unexpected(Refusal(path, "cannot be loaded: " + std::string(why == nullptr ? "unknown error" : why)));
  }
  void* symbol = dlsym(library, "inferd_engine_v1");
  if (symbol == nullptr) {
    return std::unexpected(Refusal(path, "exports no inferd_engine_v1: it is no engine, or one for another server"));
  }
  return reinterpret_cast<EntryPoint>(symbol);
}

bool IsName(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

// Returns what is wrong with the table. Empty if it can be used.
std::string Defect(const inferd_engine& table) {
  if (table.abi_version != INFERD_ENGINE_ABI_VERSION) {
    return "is built for version " + std::to_string(table.abi_version) +
           " of the engine ABI; this server has version " + std::to_string(INFERD_ENGINE_ABI_VERSION);
  }
  if (!INFERD_HAS_FIELD(inferd_engine, &table, execute)) return "returned a table that is too short";
  if (table.name == nullptr || !IsName(table.name)) return "has no proper name ([a-z0-9_]+)";
  if (table.version == nullptr || table.default_model_filename == nullptr)
    return "does not state its version and file name";
  const bool complete = table.load != nullptr && table.unload != nullptr && table.signature != nullptr &&
                        table.create_instance != nullptr && table.destroy_instance != nullptr &&
                        table.execute != nullptr;
  return complete ? "" : "lacks one of its functions";
}

// Returns the paths of the operator libraries. If the model itself is code, also checks that it may run.
base::Result<std::vector<std::string>> LibrariesOf(const core::LoadSpec& spec) {
  const auto allowed = spec.config->parameters.find(kOpLibraryFolders);
  const bool any = allowed != spec.config->parameters.end();
  const std::vector<std::filesystem::path> folders = OpLibraryFolders(any ? allowed->second : "");
  INFERD_ASSIGN_OR_RETURN(std::vector<std::string> libraries,
                          FindOpLibraries(spec.config->op_library_filenames, spec.model_dir, folders));
  if (!config::IsNativeCode(spec.config->backend, spec.model_file.filename().native())) return libraries;
  INFERD_RETURN_IF_ERROR(CheckCodeOfModel(spec.model_file, folders));
  return libraries;
}

// A LoadSpec in the ABI's form, with the memory to which it points.
struct AbiLoad {
  AbiLoad(const core::LoadSpec& spec, int process_cpu_threads, std::vector<std::string> libraries)
      : op_paths(std::move(libraries)),
        model_dir(spec.model_dir.string()),
        version_dir(spec.version_dir.string()),
        model_file(spec.model_file.string()),
        config_json(spec.config->document == nullptr ? "" : spec.config->document->ToJson()),
        declared(*spec.config),
        cores(spec.AllCores()) {
    const config::ModelConfig& config = *spec.config;
    for (const auto& [key, value] : config.parameters) parameters.push_back({ToText(key), ToText(value)});
    for (const std::string& path : op_paths) op_libraries.push_back(ToText(path));
    for (const auto* list : {&config.gpu_accelerators, &config.cpu_accelerators}) {
      for (const config::Accelerator& accelerator : *list) Add(accelerator);
    }
    abi.struct_size = sizeof(abi);
    abi.model_name = ToText(spec.model_name);
    abi.version = spec.version;
    abi.backend = ToText(config.backend);
    abi.model_dir = ToText(model_dir);
    abi.version_dir = ToText(version_dir);
    abi.model_file = ToText(model_file);
    abi.config_json = ToText(config_json);
    abi.parameters = parameters.data();
    abi.parameter_count = parameters.size();
    abi.declared = declared.get();
    abi.max_batch_size = config.max_batch_size;
    abi.graph_optimization_level = config.graph_optimization_level;
    abi.op_libraries = op_libraries.data();
    abi.op_library_count = op_libraries.size();
    abi.accelerators = accelerator_list.data();
    abi.accelerator_count = accelerator_list.size();
    abi.cpu_threads = spec.cpu_threads > 0 ? spec.cpu_threads : CpuThreadShare(process_cpu_threads, config);
    // More threads would only wait for each other.
    if (!cores.empty()) abi.cpu_threads = std::min(abi.cpu_threads, static_cast<int32_t>(cores.size()));
    abi.cpu_cores = cores.data();
    abi.cpu_core_count = cores.size();
    abi.unchecked_outputs = spec.unchecked_outputs ? 1 : 0;
    // A configuration without instance groups has one instance, on the CPU.
    abi.on_cpu = config.instance_groups.empty() ? 1 : 0;
    for (const config::Instance& instance : config::ExpandInstances(config)) {
      if (instance.kind == config::InstanceKind::kGpu) {
        gpus.push_back(instance.device);
      } else {
        abi.on_cpu = 1;
      }
    }
    std::ranges::sort(gpus);
    abi.gpus = gpus.data();
    abi.gpu_count = gpus.size();
  }

  void Add(const config::Accelerator& accelerator) {
    std::vector<inferd_pair>& pairs = accelerator_parameters.emplace_back();
    for (const auto& [key, value] : accelerator.parameters) pairs.push_back({ToText(key), ToText(value)});
    accelerators.push_back({sizeof(inferd_accelerator), ToText(accelerator.name), pairs.data(), pairs.size()});
    accelerator_list.push_back(&accelerators.back());
  }

  std::vector<std::string> op_paths;
  std::string model_dir, version_dir, model_file, config_json;
  DeclaredSignature declared;
  base::CpuCores cores;
  std::vector<int32_t> gpus;
  std::vector<inferd_pair> parameters;
  std::deque<std::vector<inferd_pair>> accelerator_parameters;
  std::deque<inferd_accelerator> accelerators;
  std::vector<const inferd_accelerator*> accelerator_list;
  std::vector<inferd_text> op_libraries;
  inferd_load abi = {};
};

// Adds the engine's reason if it has no GPUs at all.
base::Status WithReason(const base::Status& status, const OpenedEngine& engine) {
  if (status.ok() || engine.device_count > 0 || engine.why_no_gpus.empty()) return status;
  return {status.code(), status.message() + ": " + engine.why_no_gpus};
}

}  // namespace

PluginEngine::PluginEngine(const EngineOptions& options) : options_(options) {
  if (options_.cpu_threads <= 0) options_.cpu_threads = base::UsableCpus();
  host_ = NewHostTable(options_);
}

base::Result<std::unique_ptr<PluginEngine>> PluginEngine::Open(const std::filesystem::path& path,
                                                               const EngineOptions& options) {
  INFERD_ASSIGN_OR_RETURN(const EntryPoint entry, OpenLibrary(path));
  GuardDivisions();
  std::unique_ptr<PluginEngine> engine(new PluginEngine(options));
  inferd_error error;
  const inferd_engine* table = nullptr;
  try {
    table = entry(engine->host_, &error);
  } catch (const std::exception& e) {
    error.status = base::Internal(e.what());
  }
  if (table == nullptr) {
    return std::unexpected(
        Refusal(path, error.status.ok() ? "refuses to start" : "does not start: " + error.status.message()));
  }
  if (const std::string defect = Defect(*table); !defect.empty()) return std::unexpected(Refusal(path, defect));
  engine->path_ = path;
  engine->opened_.table = table;
  engine->opened_.name = table->name;
  engine->opened_.version = table->version;
  engine->opened_.default_model_filename = table->default_model_filename;
  engine->opened_.logger = options.logger;
  engine->opened_.pinned = options.pinned;
  if (const base::Status status = OpenEngineMemory(engine->opened_); !status.ok()) {
    return std::unexpected(Refusal(path, status.message()));
  }
  return engine;
}

base::Result<std::unique_ptr<core::EngineModel>> PluginEngine::Load(const core::LoadSpec& spec) {
  INFERD_RETURN_IF_ERROR(WithReason(config::CheckGpus(*spec.config, opened_.device_count), opened_));
  INFERD_ASSIGN_OR_RETURN(std::vector<std::string> libraries, LibrariesOf(spec));
  const AbiLoad load(spec, options_.cpu_threads, std::move(libraries));
  inferd_model* model = nullptr;
  inferd_error error;
  int32_t code = INFERD_INTERNAL;
  // An engine may compute a model's constants while it loads, on any thread.
  const DivisionScope divisions(DivisionScope::Threads::kPool);
  try {
    code = opened_.table->load(&load.abi, &model, &error);
  } catch (const std::exception& e) {
    error.status = base::Internal("engine '" + opened_.name + "' threw an exception: " + e.what());
  }
  if (code != INFERD_OK) {
    if (!error.status.ok()) return std::unexpected(error.status);
    return std::unexpected(ToStatus(code, "engine '" + opened_.name + "' cannot load the model and does not say why"));
  }
  if (model == nullptr) return std::unexpected(base::Internal("engine '" + opened_.name + "' loaded no model"));
  if (divisions.refused() || divisions.suspected()) {
    opened_.table->unload(model);
    return std::unexpected(base::InvalidArgument(std::string(kDivisionWhileLoading)));
  }
  INFERD_ASSIGN_OR_RETURN(auto loaded, LoadedModel::Take(&opened_, model, spec, load.abi.cpu_threads));
  INFERD_ASSIGN_OR_RETURN(auto others, LoadedModel::TakeOthers(loaded, spec, load.abi.cpu_threads));
  return std::make_unique<PluginModel>(std::move(loaded), std::move(others));
}

}  // namespace inferd::enginehost
