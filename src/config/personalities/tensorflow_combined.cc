#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "config/memory_file.h"
#include "config/option_table/option_value.h"
#include "config/personalities/flag_combination.h"
#include "config/personalities/tensorflow_flags.h"
#include "config/personalities/tensorflow_platform.h"
#include "config/tfs/server_files.h"

namespace inferd::config {
namespace {

// The defaults of the image's entry point.
constexpr std::string_view kImageModel = "model";
constexpr std::string_view kImageFolder = "/models";
constexpr std::string_view kImageRestPort = "8501";

// gRPC's own names of settings that our options have.
struct ChannelArgument {
  std::string_view name;
  std::string_view option;
  std::string_view unit;
};
constexpr ChannelArgument kChannelArguments[] = {
    {"grpc.max_concurrent_streams", "http2-streams-max", ""},
    {"grpc.keepalive_time_ms", "grpc-keepalive-time", "ms"},
    {"grpc.keepalive_timeout_ms", "grpc-keepalive-timeout", "ms"},
    {"grpc.keepalive_permit_without_calls", "grpc-keepalive-permit-without-calls", ""},
    {"grpc.http2.max_pings_without_data", "grpc-http2-max-pings-without-data", ""},
    {"grpc.http2.min_ping_interval_without_data_ms", "grpc-http2-min-recv-ping-interval-without-data", "ms"},
    {"grpc.http2.max_ping_strikes", "grpc-http2-max-ping-strikes", ""},
    {"grpc.max_connection_age_ms", "grpc-max-connection-age", "ms"},
    {"grpc.max_connection_age_grace_ms", "grpc-max-connection-age-grace", "ms"},
};

class Combination {
 public:
  explicit Combination(const GivenFlags& given) : given_(given), flags_(given) {}

  base::Result<CombinedFlags> Read() {
    ReadModels();
    ReadPort("port", "grpc", "grpc-port");
    ReadPort("rest_api_port", "http", "http-port");
    ReadChannelArguments();
    ReadRestTimeout();
    ReadPolling();
    INFERD_RETURN_IF_ERROR(ReadRetries());
    INFERD_RETURN_IF_ERROR(CombineTensorflowPlatform(flags_));
    INFERD_RETURN_IF_ERROR(ReadMetrics());
    INFERD_RETURN_IF_ERROR(ReadTls());
    return flags_.Take();
  }

 private:
  void Add(std::string_view option, std::string value, std::string_view flag) {
    flags_.Add(option, std::move(value), flag);
  }

  const std::string* Variable(const char* name) const {
    const auto it = given_.environment.find(name);
    return it == given_.environment.end() || it->second.empty() ? nullptr : &it->second;
  }

  // True if the program replaces the image's entry point, which adds flags of its own before the given ones.
  bool InImage() const { return Variable("MODEL_NAME") != nullptr || Variable("MODEL_BASE_PATH") != nullptr; }

  std::string ImageModel() const {
    const std::string* const name = Variable("MODEL_NAME");
    return name == nullptr ? std::string(kImageModel) : *name;
  }

  std::string ModelName() const {
    if (const std::string* const name = given_.Find("model_name"); name != nullptr) return *name;
    return InImage() ? ImageModel() : "default";
  }

  void ReadModels() {
    const std::string* const file = given_.Find("model_config_file");
    const std::string* const path = given_.Find("model_base_path");
    if (InImage() && given_.Find("rest_api_port") == nullptr) ListenAsImage();
    if (file != nullptr && !file->empty()) {
      Add("model-config-file", *file, "model_config_file");
      for (const std::string_view idle : {"model_name", "model_base_path"}) {
        if (given_.Find(idle) == nullptr) continue;
        flags_.Warn(idle, " has no effect: --model_config_file names the models");
      }
    } else if (path != nullptr) {
      Add("model-base-path", ModelName() + "=" + *path, "model_base_path");
    } else if (InImage()) {
      const std::string* const folder = Variable("MODEL_BASE_PATH");
      const std::filesystem::path base = folder == nullptr ? std::string(kImageFolder) : *folder;
      flags_.AddFrom("MODEL_BASE_PATH", "model-base-path", ModelName() + "=" + (base / ImageModel()).string());
    }
  }

  void ListenAsImage() {
    flags_.AddFrom("MODEL_BASE_PATH", "http", "true");
    flags_.AddFrom("MODEL_BASE_PATH", "http-port", std::string(kImageRestPort));
  }

  // 0 means not to listen.
  void ReadPort(std::string_view flag, std::string_view listener, std::string_view port) {
    const std::string* const value = given_.Find(flag);
    if (value == nullptr) return;
    const bool listens = *value != "0";
    Add(listener, listens ? "true" : "false", flag);
    if (listens) Add(port, *value, flag);
  }

  // Parses NAME=VALUE,...
  void ReadChannelArguments() {
    constexpr std::string_view kFlag = "grpc_channel_arguments";
    const std::string* const value = given_.Find(kFlag);
    if (value == nullptr) return;
    for (std::string_view rest = *value; !rest.empty();) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      const size_t equals = std::min(item.find('='), item.size());
      const std::string_view name = item.substr(0, equals);
      const auto known = std::ranges::find(kChannelArguments, name, &ChannelArgument::name);
      if (known == std::end(kChannelArguments) || equals == item.size()) {
        flags_.Warn(kFlag, ": " + std::string(item) + " has no effect");
      } else {
        Add(known->option, std::string(item.substr(equals + 1)).append(known->unit), kFlag);
      }
    }
  }

  void ReadRestTimeout() {
    constexpr std::string_view kFlag = "rest_api_timeout_in_ms";
    const std::string* const value = given_.Find(kFlag);
    if (value != nullptr) Add("http-inference-timeout", value->starts_with('-') ? "0" : *value + "ms", kFlag);
  }

  void ReadPolling() {
    constexpr std::string_view kFlag = "file_system_poll_wait_seconds";
    const std::string* const value = given_.Find(kFlag);
    if (value == nullptr) return;
    const bool polls = *value != "0" && !value->starts_with('-');
    Add("model-control-mode", polls ? "poll" : "none", kFlag);
    if (polls) Add("poll-interval", *value + "s", kFlag);
  }

  base::Status ReadRetries() {
    constexpr std::string_view kFlag = "load_retry_interval_micros";
    const std::string* const value = given_.Find(kFlag);
    if (value == nullptr) return base::OkStatus();
    const auto micros = ParseInteger(*value, 0, std::numeric_limits<int64_t>::max() - 999);
    if (!micros.has_value()) return micros.error().WithContext("--" + std::string(kFlag));
    Add("load-retry-interval", std::to_string((*micros + 999) / 1000) + "ms", kFlag);
    return base::OkStatus();
  }

  base::Status ReadMetrics() {
    constexpr std::string_view kFlag = "monitoring_config_file";
    const std::string* const file = flags_.File(kFlag);
    if (file == nullptr) return base::OkStatus();
    INFERD_ASSIGN_OR_RETURN(std::string path, FlagCombination::ReadFile(kFlag, *file, ParseMonitoringPath));
    Add("tfs-metrics-path", std::move(path), kFlag);
    return base::OkStatus();
  }

  // The listener reads its certificates from files.
  base::Status ReadTls() {
    constexpr std::string_view kFlag = "ssl_config_file";
    const std::string* const file = flags_.File(kFlag);
    if (file == nullptr) return base::OkStatus();
    INFERD_ASSIGN_OR_RETURN(const SslTexts ssl, FlagCombination::ReadFile(kFlag, *file, ParseSslConfig));
    const std::pair<std::string_view, const std::string&> texts[] = {
        {"grpc-tls-key", ssl.key}, {"grpc-tls-certificate", ssl.certificate}, {"grpc-tls-client-ca", ssl.client_ca}};
    for (const auto& [option, text] : texts) {
      if (text.empty()) continue;
      INFERD_ASSIGN_OR_RETURN(std::string path, MakeMemoryFile(text));
      Add(option, std::move(path), kFlag);
    }
    return base::OkStatus();
  }

  const GivenFlags& given_;
  FlagCombination flags_;
};

}  // namespace

base::Result<CombinedFlags> CombineTensorflowFlags(const GivenFlags& given) { return Combination(given).Read(); }

}  // namespace inferd::config
