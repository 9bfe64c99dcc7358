#include "serving/repository/load/loader.h"

#include "base/system/regular_file.h"
#include "config/format/missing_engine.h"
#include "config/format/model_files.h"
#include "config/model/instances.h"
#include "config/model/model_config_parser.h"
#include "config/tfs/version_batching.h"
#include "serving/repository/load/checksums.h"
#include "serving/repository/load/instances.h"
#include "serving/repository/load/special_files.h"
#include "serving/repository/load/version_signature.h"
#include "serving/repository/probe/row_probe.h"

namespace inferd::repository {

namespace {

std::vector<config::TensorInfo> Infos(const std::vector<core::TensorSpec>& specs) {
  std::vector<config::TensorInfo> infos;
  for (const core::TensorSpec& spec : specs) {
    if (spec.alternative) continue;
    infos.push_back({.name = spec.name,
                     .datatype = spec.datatype,
                     .shape = spec.shape,
                     .optional = spec.optional,
                     .dimension_names = spec.dimension_names});
  }
  return infos;
}

// Returns false if the model is a single file in a folder with unrelated files.
bool HasFolder(const LoadJob& job) { return job.version_dir != job.model_dir; }

base::Result<config::ModelConfig> ParseConfig(const LoadJob& job, bool complete) {
  if (!job.config_json.empty()) return config::ModelConfigFromJson(job.config_json);
  if (job.config_file.empty() && !complete) {
    return std::unexpected(base::NotFound("failed to open text file for read " +
                                          (job.model_dir / "config.pbtxt").string() + ": No such file or directory"));
  }
  if (job.config_file.empty()) {
    if (HasFolder(job)) INFERD_RETURN_IF_ERROR(CheckNoConfiguration(job.model_dir));
    // Without a configuration file, errors name the version's folder.
    return config::ParseModelConfig("", job.version_dir.string());
  }
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(job.config_file, config::kModelConfigBytesMax));
  return config::ParseModelConfig(text, job.config_file.string());
}

// Adds the file's real kind to the error: an engine's library rarely reports that a file is of another kind altogether.
base::Status WithFileKind(const base::Status& error, const std::string& engine, const std::filesystem::path& file) {
  if (file.empty()) return error;
  return {error.code(), error.message() + config::DescribeForeignFile(engine, file)};
}

// Names what the configuration leaves to the file first where Triton does.
base::Status NoModelFile(const std::filesystem::path& file, const config::ModelConfig& config,
                         const config::CompletionOptions& options) {
  const std::string absent = "there is no " + file.string();
  const base::Status open = options.triton_exact ? config::CheckDatatypes(config, options) : base::OkStatus();
  return open.ok() ? base::NotFound(absent) : base::Status(open.code(), open.message() + "; " + absent);
}

config::CompletionOptions WithGpus(config::CompletionOptions completion, std::span<core::Engine* const> engines) {
  for (const core::Engine* engine : engines) completion.gpus[std::string(engine->name())] = engine->gpus();
  return completion;
}

base::StatusCode CodeOf(const base::Result<std::shared_ptr<const core::ModelVersion>>& result) {
  return result.has_value() ? base::StatusCode::kOk : result.error().code();
}

}  // namespace

Loader::Loader(const config::CompletionOptions& completion, LoaderServices services)
    : completion_(WithGpus(completion, services.engines)), services_(std::move(services)) {}

base::Result<config::ModelConfig> Loader::Resolve(const LoadJob& job) const {
  INFERD_ASSIGN_OR_RETURN(config::ModelConfig written, ParseConfig(job, completion_.complete));
  return config::ResolveModel(std::move(written), job.id.name,
                              {.names = job.version_entries, .folder = job.version_dir}, completion_);
}

base::Result<core::Engine*> Loader::FindEngine(const config::ModelConfig& config) const {
  for (core::Engine* engine : services_.engines) {
    if (engine->name() == config.engine) return engine;
  }
  const std::string& shown = config.platform.empty() ? config.backend : config.platform;
  const std::string hint = config::MissingEngineHint(config.engine, config.default_model_filename);
  const base::Status absent =
      base::Unavailable("engine for platform " + shown + " is not installed" + (hint.empty() ? "" : ": " + hint));
  if (!completion_.triton_exact) return std::unexpected(absent);
  return std::unexpected(base::InvalidArgument(absent.message())
                             .WithContext("unable to find backend library for backend '" +
                                          (config.backend.empty() ? shown : config.backend) +
                                          "', try specifying runtime on the model configuration"));
}

base::Result<LoadedModel> Loader::Open(const LoadJob& job) const {
  if (HasFolder(job)) INFERD_RETURN_IF_ERROR(CheckVersionFolder(job.version_dir));
  INFERD_ASSIGN_OR_RETURN(config::ModelConfig resolved, Resolve(job));
  INFERD_ASSIGN_OR_RETURN(core::Engine * engine, FindEngine(resolved));
  core::LoadSpec spec;
  spec.model_name = job.id.name;
  spec.version = job.id.version;
  spec.model_dir = job.model_dir;
  spec.version_dir = job.version_dir;
  spec.unchecked_outputs = completion_.triton_exact;
  const bool has_file = !std::string_view(engine->default_model_filename()).empty();
  // Nothing else gives the tensors of a model without a file their datatypes.
  if (completion_.triton_exact && !has_file) INFERD_RETURN_IF_ERROR(config::CheckDatatypes(resolved, completion_));
  const std::string filename = resolved.default_model_filename.empty() ? std::string(engine->default_model_filename())
                                                                       : resolved.default_model_filename;
  if (!filename.empty()) {
    spec.model_file = job.version_dir / filename;
    // Configurations name a backend's library by habit, which an engine without a model file does not want (Triton).
    std::error_code ignored;
    if (has_file && !std::filesystem::exists(spec.model_file, ignored)) {
      return std::unexpected(NoModelFile(spec.model_file, resolved, completion_));
    }
  }
  INFERD_RETURN_IF_ERROR(VerifyChecksums(resolved, job.model_dir));
  spec.config = std::make_shared<const config::ModelConfig>(resolved);
  if (services_.group_cores != nullptr) {
    INFERD_ASSIGN_OR_RETURN(spec.group_cores, services_.group_cores(resolved));
  }
  INFERD_ASSIGN_OR_RETURN(const auto completion, config::WithVersionBatching(completion_, job.version_dir));
  auto opened = engine->Load(spec);
  if (!opened.has_value()) return std::unexpected(WithFileKind(opened.error(), resolved.engine, spec.model_file));
  auto model = *std::move(opened);
  const config::CompletedByModel said = model->completed();
  if (said != config::CompletedByModel{}) {
    INFERD_ASSIGN_OR_RETURN(resolved, config::AddCompleted(resolved, said, completion));
  }
  config::BatchingDecision batching = DecideBatching(resolved, *model, completion);
  if (said.max_batch_size > 0) {
    batching.source = config::BatchingSource::kModel;
    batching.reason = "its code says max_batch_size: " + std::to_string(said.max_batch_size);
  }
  INFERD_ASSIGN_OR_RETURN(
      config::ModelConfig completed,
      config::CompleteModel(std::move(resolved), Infos(model->signature().inputs), Infos(model->signature().outputs),
                            completion, std::move(batching), said.tensors));
  return LoadedModel{std::make_shared<const config::ModelConfig>(std::move(completed)), std::move(model)};
}

config::BatchingDecision Loader::DecideBatching(const config::ModelConfig& config, core::EngineModel& model,
                                                const config::CompletionOptions& options) const {
  const core::ModelSignature& signature = model.signature();
  config::BatchingDecision decision =
      config::DecideBatching(config, Infos(signature.inputs), Infos(signature.outputs), options);
  if ((!decision.needs_probe && !decision.probe_advises) || options.batching_probe_ms <= 0) return decision;
  return config::WithProbe(
      std::move(decision), config.name,
      ProbeRows(model, {.time_max_ms = options.batching_probe_ms, .rows_max = options.default_max_batch_size},
                services_.clock));
}

base::Result<core::ModelVersion::Function> Loader::MakeFunction(core::SchedulerParts parts,
                                                                const std::filesystem::path& model_dir) const {
  INFERD_ASSIGN_OR_RETURN(VersionSignature signature,
                          MakeVersionSignature(*parts.config, parts.model->signature(), model_dir));
  parts.signature = signature.signature;
  parts.model_dir = model_dir;
  parts.engine_inputs = std::move(signature.engine_inputs);
  parts.engine_outputs = std::move(signature.engine_outputs);
  INFERD_ASSIGN_OR_RETURN(parts.instances, CreateInstances(*parts.model, *parts.config));
  core::ModelVersion::Function function{.signature = parts.signature, .scheduler = nullptr};
  INFERD_ASSIGN_OR_RETURN(function.scheduler, services_.scheduler_factory(std::move(parts)));
  return function;
}

core::GraphCalls::Make Loader::GraphCallMaker(const core::ModelVersion::Parts& version, core::SignatureOpener open,
                                              base::Executor& retire) const {
  return [this, &retire, open = std::move(open), id = version.id, generation = version.generation,
          repository = version.repository, platform = version.platform, config = version.config,
          statistics = version.statistics](
             const core::GraphCall& call) -> base::Result<std::shared_ptr<const core::ModelVersion>> {
    core::SchedulerParts parts;
    parts.id = id;
    parts.generation = generation;
    parts.statistics = statistics;
    INFERD_ASSIGN_OR_RETURN(parts.model, open(call));
    config::ModelConfig alone = *config;
    alone.max_batch_size = 0;
    parts.config =
        std::make_shared<const config::ModelConfig>(OtherSignatureConfig(std::move(alone), parts.model->signature()));
    INFERD_ASSIGN_OR_RETURN(auto function, MakeFunction(std::move(parts), {}));
    return core::ModelVersion::Create({.id = id,
                                       .generation = generation,
                                       .repository = repository,
                                       .platform = platform,
                                       .config = config,
                                       .signature = std::move(function.signature),
                                       .statistics = statistics,
                                       .scheduler = std::move(function.scheduler)},
                                      retire);
  };
}

base::Result<std::shared_ptr<const core::ModelVersion>> Loader::Load(const LoadJob& job, base::Executor& retire) const {
  const LoadMetrics::Version version{.id = job.id, .dir = job.version_dir};
  const int64_t began_ns = services_.clock.NowNs();
  auto made = Make(job, retire);
  services_.metrics.Opened(version, CodeOf(made), services_.clock.NowNs() - began_ns);
  if (!made.has_value()) return made;
  INFERD_RETURN_IF_ERROR(WarmUpAll(job, *made));
  return made;
}

base::Status Loader::WarmUpAll(const LoadJob& job, const std::shared_ptr<const core::ModelVersion>& version) const {
  const config::ModelConfig& config = version->config();
  const int64_t began_ns = services_.clock.NowNs();
  INFERD_RETURN_IF_ERROR(WarmUp(version, config.warmups, job.model_dir / "warmup",
                                config::ExpandInstances(config).size(), services_.logger));
  INFERD_ASSIGN_OR_RETURN(const bool recorded, WarmUpWithRecords(job, version));
  if (recorded || !config.warmups.empty()) {
    services_.metrics.WarmedUp({.id = job.id, .dir = job.version_dir}, services_.clock.NowNs() - began_ns);
  }
  return base::OkStatus();
}

base::Result<bool> Loader::WarmUpWithRecords(const LoadJob& job,
                                             const std::shared_ptr<const core::ModelVersion>& version) const {
  if (services_.recorded_warmups == nullptr) return false;
  const int64_t began_ns = services_.clock.NowNs();
  auto recorded = services_.recorded_warmups(job.version_dir, *version);
  if (recorded.has_value() && recorded->records == 0) return false;
  const size_t records = recorded.has_value() ? recorded->records : 0;
  const base::Status status =
      recorded.has_value() ? WarmUpWith(version, std::move(recorded->requests)) : recorded.error();
  services_.metrics.WarmedUpWithRecords({.id = job.id, .dir = job.version_dir}, status.code(), records,
                                        services_.clock.NowNs() - began_ns);
  INFERD_RETURN_IF_ERROR(status);
  return true;
}

base::Result<std::shared_ptr<const core::ModelVersion>> Loader::Make(const LoadJob& job, base::Executor& retire) const {
  INFERD_ASSIGN_OR_RETURN(LoadedModel loaded, Open(job));
  const config::ModelConfig& config = *loaded.config;
  const auto statistics = std::make_shared<core::VersionStatistics>();
  const auto parts_of = [&](std::unique_ptr<core::EngineModel> model) {
    core::SchedulerParts parts;
    parts.id = job.id;
    parts.generation = job.generation;
    parts.config = loaded.config;
    parts.statistics = statistics;
    parts.model = std::move(model);
    return parts;
  };
  auto others = loaded.model->OtherSignatures();
  core::SignatureOpener open = loaded.model->GraphSignatures();
  auto input_memory = loaded.model->input_memory();
  core::Availability availability = loaded.model->availability();
  core::ReadinessCheck check = loaded.model->readiness_check();
  INFERD_ASSIGN_OR_RETURN(auto first, MakeFunction(parts_of(std::move(loaded.model)), job.model_dir));
  core::ModelVersion::Parts version{.id = job.id,
                                    .generation = job.generation,
                                    .repository = job.repository,
                                    .platform = config.platform.empty() ? config.backend : config.platform,
                                    .config = loaded.config,
                                    .signature = std::move(first.signature),
                                    .statistics = statistics,
                                    .scheduler = std::move(first.scheduler),
                                    .others = {},
                                    .input_memory = std::move(input_memory),
                                    .availability = std::move(availability)};
  for (auto& other : others) {
    if (other->signature().only_shown) {
      version.shown.push_back(other->signature());
      continue;
    }
    core::SchedulerParts parts = parts_of(std::move(other));
    parts.config = std::make_shared<const config::ModelConfig>(OtherSignatureConfig(config, parts.model->signature()));
    INFERD_ASSIGN_OR_RETURN(auto function, MakeFunction(std::move(parts), job.model_dir));
    version.others.push_back(std::move(function));
  }
  if (check != nullptr) {
    version.readiness = std::make_unique<core::ReadinessProbe>(
        std::move(check), job.id.name + "/" + std::to_string(job.id.version), services_.logger);
  }
  if (open != nullptr) {
    version.graph_calls = std::make_unique<core::GraphCalls>(GraphCallMaker(version, std::move(open), retire));
  }
  return core::ModelVersion::Create(std::move(version), retire, [keep_alive = job.keep_alive] {});
}

}  // namespace inferd::repository
