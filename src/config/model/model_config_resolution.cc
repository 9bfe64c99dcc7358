#include "config/model/model_config_resolution.h"

#include <algorithm>

#include "config/format/format_table.h"
#include "config/model/instance_groups.h"
#include "config/model/model_config_completion.h"
#include "config/model/model_config_place.h"
#include "config/model/unacted_fields.h"

namespace inferd::config {
namespace {

const std::string kTfliteFile = "model.tflite";

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

// Returns a predicate that is true for platforms which the configuration names. If it names none, it is true for all.
WantedPlatform Wanted(const inference::ModelConfig& config) {
  if (const Platform* const platform = FindPlatform(config.platform()); platform != nullptr) {
    return [platform](const Platform& each) {
      return each.backend == platform->backend && each.predict_v2 == platform->predict_v2;
    };
  }
  return [&config](const Platform& each) { return config.backend().empty() || each.backend == config.backend(); };
}

// Finds the version folder's file if the configuration does not name it. nullopt if there is none. If there are
// several, Triton takes the first one with a full name, in its own order, and none without a full name.
base::Result<std::optional<FoundModel>> ChooseFile(const inference::ModelConfig& config, const ModelFiles& files,
                                                   const CompletionOptions& options) {
  if (const std::string& named = config.default_model_filename(); !named.empty()) return FindModel(files, named);
  const WantedPlatform wanted = Wanted(config);
  if (options.prefer_tflite && std::ranges::find(files.names, kTfliteFile) != files.names.end()) {
    std::optional<FoundModel> lite = FindModel(files, kTfliteFile);
    const Platform* const platform = lite.has_value() ? PlatformOf(*lite->format) : nullptr;
    if (platform != nullptr && wanted(*platform)) return lite;
  }
  std::vector<FoundModel> found = FindModels(files, wanted);
  // Otherwise there is a file for each kind of GPU.
  const bool one_meant = !options.triton_exact && config.cc_model_filenames_size() == 0;
  if (found.size() > 1 && one_meant) return std::unexpected(SeveralModels(config.name(), found));
  if (found.empty() || (found.size() > 1 && !found.front().full_name)) return std::nullopt;
  return std::move(found.front());
}

base::Status NoBackend(const inference::ModelConfig& config, const ModelFiles& files, bool triton_exact) {
  const std::string advice = AdviceOnUnread(files);
  return base::NotFound(
      std::string(triton_exact ? "Invalid model name: " : "") + "Could not determine backend for model '" +
      config.name() +
      "' with no backend in model configuration. Expected model name of the form 'model.<backend_name>'. The version "
      "folder holds: " +
      Listed(files.names) + (advice.empty() ? "" : ": " + advice));
}

// Returns the platform by `platform` or `backend`, or else by a file or the model's name. nullptr for a platform that
// FindProblems() will report, or the backend of an engine that is not in the table.
base::Result<const Platform*> ChoosePlatform(inference::ModelConfig& config, const std::optional<FoundModel>& found,
                                             const ModelFiles& files, const CompletionOptions& options) {
  if (!config.platform().empty()) return FindPlatform(config.platform());
  const Platform* const of_file = found.has_value() ? PlatformOf(*found->format) : nullptr;
  if (!config.backend().empty()) {
    return of_file != nullptr && of_file->backend == config.backend() ? of_file : FindBackend(config.backend());
  }
  if (!options.complete) {
    return std::unexpected(base::InvalidArgument("must specify 'platform' or 'backend' for '" + config.name() + "'"));
  }
  if (of_file != nullptr && !found->missing.empty()) {
    return std::unexpected(base::InvalidArgument(found->filename + " needs " + found->missing + " beside it"));
  }
  if (of_file != nullptr) return of_file;
  const size_t dot = config.name().rfind('.');
  if (dot == std::string::npos || dot + 1 == config.name().size()) {
    return std::unexpected(NoBackend(config, files, options.triton_exact));
  }
  config.set_backend(config.name().substr(dot + 1));
  return FindBackend(config.backend());
}

void FillPlatform(inference::ModelConfig& config, const Platform& platform, const std::optional<FoundModel>& found,
                  PlatformNames names) {
  if (config.backend().empty()) config.set_backend(std::string(platform.backend));
  if (config.platform().empty() && !platform.name.empty())
    config.set_platform(std::string(ShownPlatform(platform, names)));
  if (!config.default_model_filename().empty()) return;
  config.set_default_model_filename(found.has_value() ? found->filename : DefaultFileOf(platform));
}

// nullptr if the table has neither.
const Platform* FindEither(const std::string& platform_name, const std::string& backend) {
  const Platform* const platform = FindPlatform(platform_name);
  return platform == nullptr ? FindBackend(backend) : platform;
}

std::string EngineOf(const Platform* platform, const std::string& backend) {
  return platform == nullptr ? backend : std::string(platform->engine);
}

// Parameters with this prefix are reserved for the operator's command line.
constexpr std::string_view kOperatorParameter = "operator.";
// Parameters for models of every engine that have custom operators, or are native code: --allow-op-library.
constexpr std::string_view kEveryEngine = "*";

// Checks that no parameter is one that only the operator may set. A client may have sent the model.
base::Status CheckParameters(const ModelConfigDocument::Message& message, bool place_last) {
  for (const auto& [name, value] : message.proto.parameters()) {
    if (!name.starts_with(kOperatorParameter)) continue;
    return ToStatus({Place(message).At("parameters", "parameter '" + name + "' is the operator's, on the server's " +
                                                         "command line: --engine-parameter ENGINE:" + name + "=VALUE")},
                    place_last);
  }
  return base::OkStatus();
}

// Finds GPUs that groups list and the engine lacks. Triton refuses them before it looks for the model's versions and
// files. A group that lists none is left to the engine, which says why it has none.
void FindAbsentGpus(const ModelConfig& config, const CompletionOptions& options, std::vector<Problem>& problems) {
  const auto known = options.gpus.find(config.engine);
  if (known == options.gpus.end()) return;
  const int count = known->second.count;
  const std::string why(count == 0 ? known->second.why_none : std::string_view());
  const Place place(config.document->message());
  for (size_t i = 0; i < config.instance_groups.size(); ++i) {
    const InstanceGroup& group = config.instance_groups[i];
    if (group.kind != InstanceKind::kGpu) continue;
    const auto absent = std::ranges::find_if(group.gpus, [count](int32_t gpu) { return gpu < 0 || gpu >= count; });
    if (absent == group.gpus.end()) continue;
    problems.push_back(place.In("instance_group", static_cast<int>(i))
                           .At("gpus", static_cast<int>(absent - group.gpus.begin()),
                               "instance group " + group.name + " of model " + config.name +
                                   " specifies invalid or unsupported gpu id " + std::to_string(*absent) +
                                   ". The model's engine has " + (count == 0 ? "no" : std::to_string(count)) +
                                   (count == 1 ? " GPU" : " GPUs") + (why.empty() ? "" : ": " + why)));
  }
}

void FillParameters(inference::ModelConfig& config, const EngineParameters& by_engine) {
  const std::string engine = EngineOf(FindEither(config.platform(), config.backend()), config.backend());
  const bool has_code = config.model_operations().op_library_filename_size() > 0 ||
                        IsNativeCode(config.backend(), config.default_model_filename());
  for (const std::string_view name : {std::string_view(engine), kEveryEngine}) {
    const auto of_engine = by_engine.find(name);
    if (of_engine == by_engine.end()) continue;
    if (name == kEveryEngine && !has_code) continue;
    for (const auto& [key, value] : of_engine->second) {
      if (!config.parameters().contains(key)) (*config.mutable_parameters())[key].set_string_value(value);
    }
  }
}

}  // namespace

ModelConfig Rebuild(std::unique_ptr<const ModelConfigDocument::Message> message, const CompletionOptions& options) {
  ModelConfig config = FromMessage(std::move(message));
  const Platform* const platform = FindEither(config.platform, config.backend);
  config.engine = EngineOf(platform, config.backend);
  if (platform != nullptr) config.platform = ShownPlatform(*platform, options.platform_names);
  if (config.platform.empty()) config.platform = config.backend;
  if (options.absent_gpus_are_cpus) PutOnCpu(config, options);
  return config;
}

namespace {

// Returns the error for a name that is not the folder's. Triton looks at an ensemble's configuration first.
base::Status WrongFolder(std::unique_ptr<const ModelConfigDocument::Message> message, const std::string& folder_name,
                         const CompletionOptions& options) {
  const std::string name = message->proto.name();
  const bool ensemble = message->proto.platform() == kEnsembleEngine;
  Problem wrong = Place(*message).At("name", "unexpected directory name '" + folder_name + "' for model '" + name +
                                                 "', directory name must equal model name");
  std::vector<Problem> problems;
  if (options.triton_exact && ensemble) {
    const ModelConfig config = Rebuild(std::move(message), options);
    problems = FindProblems(*config.document, name, config.engine, options.absent_gpus_are_cpus);
  }
  problems.push_back(std::move(wrong));
  return ToStatus(problems, options.triton_exact);
}

}  // namespace

base::Result<ModelConfig> ResolveModel(ModelConfig config, const std::string& folder_name, const ModelFiles& files,
                                       const CompletionOptions& options) {
  auto message = CopyMessage(config);
  inference::ModelConfig& proto = message->proto;
  if (proto.name().empty()) proto.set_name(folder_name);
  if (!proto.has_version_policy()) proto.mutable_version_policy()->mutable_latest()->set_num_versions(1);
  if (proto.name() != folder_name) return std::unexpected(WrongFolder(std::move(message), folder_name, options));
  INFERD_ASSIGN_OR_RETURN(const std::optional<FoundModel> found, ChooseFile(proto, files, options));
  const auto platform = ChoosePlatform(proto, found, files, options);
  if (platform.has_value() && *platform != nullptr) FillPlatform(proto, **platform, found, options.platform_names);
  const bool ensemble = proto.platform() == kEnsembleEngine;
  const std::string engine = EngineOf(FindEither(proto.platform(), proto.backend()), proto.backend());
  if (!ensemble) FillInstanceGroups(proto, engine, options);
  INFERD_RETURN_IF_ERROR(CheckParameters(*message, options.triton_exact));
  FillParameters(proto, options.engine_parameters);
  if (options.default_isolation != Isolation::kNone && !ensemble && !proto.inferd().has_isolation()) {
    const bool shared = options.default_isolation == Isolation::kEngineProcess;
    proto.mutable_inferd()->set_isolation(shared ? inference::InferdOptions::ENGINE_PROCESS
                                                 : inference::InferdOptions::PROCESS);
  }
  ModelConfig result = Rebuild(std::move(message), options);
  std::vector<Problem> problems =
      FindProblems(*result.document, folder_name, result.engine, options.absent_gpus_are_cpus);
  if (!platform.has_value() && problems.empty()) return std::unexpected(platform.error());
  if (!platform.has_value()) problems.push_back({.field = "", .message = platform.error().message(), .file = ""});
  if (options.triton_exact && problems.empty()) FindAbsentGpus(result, options, problems);
  INFERD_RETURN_IF_ERROR(ToStatus(problems, options.triton_exact));
  // Describes the configuration as it was written: FillInstanceGroups() has removed the GPUs of KIND_AUTO groups on the
  // CPU.
  if (config.document != nullptr) {
    result.unacted_fields = DescribeUnactedFields(*config.document, result.engine, GpusOf(options, result.engine));
  }
  if (options.absent_gpus_are_cpus) {
    DescribeMoved(result, result.document->message().proto, options, result.unacted_fields);
  }
  return result;
}

}  // namespace inferd::config
