#include "config/tfs/model_server_config.h"

#include <google/protobuf/text_format.h>

#include <set>

#include "config/base_path.h"
#include "config/model/model_config_place.h"
#include "config/model/text_format.h"
#include "config/platform.h"
#include "config/served_name.h"
#include "tfs/model_server_config.pb.h"

namespace inferd::config {
namespace {

namespace tfs = tensorflow::serving;

constexpr std::string_view kTensorflow = "tensorflow";

// Reads the list of models, and collects its problems.
class ModelListReader {
 public:
  explicit ModelListReader(const Place& list) : list_(list) {}

  void Read(const tfs::ModelConfigList& list) {
    for (int i = 0; i < list.config_size(); ++i) ReadModel(list.config(i), list_.In("config", i));
  }

  base::Result<ModelServerConfig> Take() {
    INFERD_RETURN_IF_ERROR(ToStatus(problems_));
    return std::move(result_);
  }

 private:
  void ReadModel(const tfs::ModelConfig& from, const Place& place) {
    CheckName(from, place);
    CheckPlatform(from, place);
    const std::string base_path = LocalPath(from.base_path());
    const base::Status absolute = CheckBasePath(from.name(), base_path);
    if (!absolute.ok()) problems_.push_back(place.At("base_path", absolute.message()));
    for (const auto& [label, version] : from.version_labels()) {
      if (label.empty() || version < 0) {
        problems_.push_back(place.At("version_labels", "a label needs a name and a version of 0 or more"));
      }
    }
    result_.models->push_back(
        {.name = from.name(),
         .base_path = base_path,
         .platform = from.model_platform().empty() ? std::string(kTensorflow) : from.model_platform(),
         .version_policy = ToVersionPolicy(from.model_version_policy()),
         .version_labels = {from.version_labels().begin(), from.version_labels().end()},
         .request_logging = ReadLogging(from, place)});
  }

  // The newer list takes precedence over the older field, as in TensorFlow Serving.
  std::optional<RequestLogging> ReadLogging(const tfs::ModelConfig& from, const Place& place) {
    if (from.logging_configs_size() > 1) {
      result_.warnings.push_back("of the logging_configs of model '" + from.name() + "' only the first has an effect");
    }
    if (from.logging_configs_size() > 0) return ReadLogging(from.logging_configs(0), place.In("logging_configs", 0));
    if (from.has_logging_config()) return ReadLogging(from.logging_config(), place.In("logging_config"));
    return std::nullopt;
  }

  std::optional<RequestLogging> ReadLogging(const tfs::LoggingConfig& from, const Place& place) {
    const double rate = SamplingRate(from.sampling_config());
    const std::string& prefix = from.log_collector_config().filename_prefix();
    if (!(rate >= 0 && rate <= 1)) {
      problems_.push_back(place.Here("sampling_config.sampling_rate must be from 0 to 1, got " + std::to_string(rate)));
    } else if (rate > 0 && prefix.empty()) {
      problems_.push_back(place.Here("log_collector_config.filename_prefix must say where the files are to be"));
    } else if (rate > 0) {
      return RequestLogging{.filename_prefix = prefix, .sampling_rate = rate};
    }
    return std::nullopt;
  }

  // The first matching rate per task applies, as in TensorFlow Serving: this server is task 0 of no cell.
  static double SamplingRate(const tfs::SamplingConfig& from) {
    for (const tfs::PerTaskSamplingConfig& task : from.per_task_sampling_configs()) {
      if (task.dc().empty() && task.task_index() == 0) return task.sampling_rate();
    }
    return from.sampling_rate();
  }

  void CheckName(const tfs::ModelConfig& from, const Place& place) {
    if (from.name().empty()) return problems_.push_back(place.Here("a model must have a name"));
    if (const base::Status named = CheckServedName(from.name()); !named.ok()) {
      return problems_.push_back(place.At("name", named.message()));
    }
    if (!names_.insert(from.name()).second) {
      problems_.push_back(place.At("name", "Illegal to list model " + from.name() + " multiple times in config list"));
    }
  }

  // The content of a version's folder decides which engine runs a "tensorflow" model.
  void CheckPlatform(const tfs::ModelConfig& from, const Place& place) {
    const bool by_type = from.model_type() == tfs::TENSORFLOW;
    const std::string& platform = from.model_platform();
    if (from.model_type() != tfs::MODEL_TYPE_UNSPECIFIED && !platform.empty()) {
      problems_.push_back(place.At("model_type",
                                   "Illegal setting both ModelServerConfig::model_type(deprecated) and "
                                   "ModelServerConfig::model_platform."));
    } else if (!by_type && platform.empty()) {
      problems_.push_back(
          place.Here("Illegal setting neither ModelServerConfig::model_type(deprecated) nor "
                     "ModelServerConfig::model_platform."));
    } else if (!by_type && platform != kTensorflow && FindPlatform(platform) == nullptr) {
      problems_.push_back(place.At("model_platform",
                                   "there is no platform '" + platform + "'; known: tensorflow, " + KnownPlatforms()));
    }
  }

  const Place& list_;
  std::set<std::string_view> names_;
  std::vector<Problem> problems_;
  ModelServerConfig result_{.models = std::vector<ServedModel>(), .warnings = {}};
};

base::Result<ModelServerConfig> Check(const tfs::ModelServerConfig& config, const Place& place) {
  if (config.has_custom_model_config()) {
    return std::unexpected(
        base::Unimplemented(place.At("custom_model_config", "only model_config_list is served").ToString()));
  }
  if (!config.has_model_config_list()) return ModelServerConfig();
  const Place list = place.In("model_config_list");
  ModelListReader reader(list);
  reader.Read(config.model_config_list());
  return reader.Take();
}

base::Status CheckSize(std::string_view bytes) {
  if (bytes.size() <= kModelServerConfigBytesMax) return base::OkStatus();
  return base::InvalidArgument("a ModelServerConfig may have " + std::to_string(kModelServerConfigBytesMax) +
                               " bytes, got " + std::to_string(bytes.size()));
}

}  // namespace

base::Result<ModelServerConfig> ParseModelServerConfig(std::string_view text, std::string_view file_name) {
  INFERD_RETURN_IF_ERROR(CheckSize(text).WithContext(file_name));
  tfs::ModelServerConfig config;
  google::protobuf::TextFormat::ParseInfoTree places;
  INFERD_RETURN_IF_ERROR(ParseTextFormat(text, file_name, config, places)
                             .WithContext("Error parsing text-format tensorflow.serving.ModelServerConfig"));
  return Check(config, Place(config.GetDescriptor(), &places, std::string(file_name)));
}

base::Result<ModelServerConfig> DecodeModelServerConfig(std::string_view message) {
  INFERD_RETURN_IF_ERROR(CheckSize(message));
  tfs::ModelServerConfig config;
  if (!config.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return std::unexpected(base::InvalidArgument("the bytes are no tensorflow.serving.ModelServerConfig"));
  }
  if (!config.has_model_config_list()) {
    return std::unexpected(
        base::InvalidArgument("ServerModelConfig type not supported by HandleReloadConfigRequest. Only ModelConfigList "
                              "is currently supported"));
  }
  return Check(config, Place(config.GetDescriptor(), nullptr, ""));
}

}  // namespace inferd::config
