#include "config/personalities/tritonserver_flags.h"

namespace inferd::config {
namespace {

base::Status CombineTls(const GivenFlags& given, CombinedFlags& combined) {
  struct File {
    std::string_view flag;
    std::string_view option;
    std::string_view switch_flag;  // what asks for it
    bool used;
  };
  const bool mutual = given.IsTrue("grpc-use-ssl-mutual");
  const bool tls = mutual || given.IsTrue("grpc-use-ssl");
  const File files[] = {{"grpc-server-cert", "grpc-tls-certificate", "grpc-use-ssl", tls},
                        {"grpc-server-key", "grpc-tls-key", "grpc-use-ssl", tls},
                        {"grpc-root-cert", "grpc-tls-client-ca", "grpc-use-ssl-mutual", mutual}};
  for (const File& file : files) {
    const std::string* path = given.Find(file.flag);
    const std::string flag = "--" + std::string(file.flag);
    const std::string switch_flag = "--" + std::string(file.switch_flag);
    if (file.used && path == nullptr) return base::InvalidArgument(switch_flag + " needs " + flag);
    if (path == nullptr) continue;
    if (file.used) {
      combined.values.push_back({.option = file.option, .value = *path, .origin = flag});
    } else {
      combined.warnings.push_back(flag + " has no effect: it needs " + switch_flag);
    }
  }
  return base::OkStatus();
}

// [BACKEND,]SETTING=VALUE. The one that counts here says how models are completed, whichever engine they have.
void CombineBackendConfig(std::span<const GivenFlag> flags, CombinedFlags& combined) {
  for (const GivenFlag& flag : flags) {
    if (flag.name != "backend-config") continue;
    const size_t equals = flag.value.find('=');
    const std::string_view place = std::string_view(flag.value).substr(0, equals);
    const size_t comma = place.find(',');
    const std::string_view backend = comma == std::string_view::npos ? std::string_view() : place.substr(0, comma);
    const std::string_view setting = comma == std::string_view::npos ? place : place.substr(comma + 1);
    if (setting == "default-max-batch-size" && (backend.empty() || backend == "onnxruntime")) {
      combined.values.push_back({.option = "default-max-batch-size",
                                 .value = flag.value.substr(equals + 1),
                                 .origin = "--backend-config=" + std::string(place)});
    } else {
      combined.warnings.push_back("--backend-config=" + std::string(place) +
                                  " has no effect: engines are set by their models' configurations");
    }
  }
}

}  // namespace

base::Result<CombinedFlags> CombineTritonserverFlags(const GivenFlags& given) {
  CombinedFlags combined;
  INFERD_RETURN_IF_ERROR(CombineTls(given, combined));
  CombineBackendConfig(given.flags, combined);
  const std::string* http_address = given.Find("http-address");
  if (http_address != nullptr && given.Find("metrics-address") == nullptr) {
    combined.values.push_back({.option = "metrics-address", .value = *http_address, .origin = "--http-address"});
  }
  return combined;
}

}  // namespace inferd::config
