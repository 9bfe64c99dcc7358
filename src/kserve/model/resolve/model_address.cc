#include "kserve/model/resolve/model_address.h"

#include <vector>

#include "kserve/model/api/pod_spec.h"
#include "kserve/model/resolve/hosts.h"

namespace inferd::model {

namespace {

// Returns NAME of the container's argument "--model_name=NAME". Empty if there is none.
std::string NameArgument(const manifest::Value& container) {
  constexpr std::string_view kOption = "--model_name=";
  const manifest::Value* const arguments = container.Find("args");
  if (arguments == nullptr) return {};
  for (const manifest::Value& argument : arguments->items()) {
    if (argument.text().starts_with(kOption)) return argument.text().substr(kOption.size());
  }
  return {};
}

std::string NameOfFirst(const std::vector<manifest::Value>& containers) {
  return containers.empty() ? std::string() : NameArgument(containers.front());
}

}  // namespace

std::string ModelNameOf(const InferenceService& service) {
  std::string name;
  if (service.transformer.has_value()) name = NameOfFirst(service.transformer->containers());
  if (!name.empty()) return name;
  if (const auto& model = service.predictor.model; model.has_value()) {
    name = FindEnvironment(model->container, "MLSERVER_MODEL_NAME");
    if (name.empty()) name = NameArgument(model->container);
  } else {
    name = NameOfFirst(service.predictor.containers());
  }
  return name.empty() ? service.metadata.name : name;
}

std::string AddressUrl(const InferenceService& service, std::string_view protocol) {
  const auto& containers = service.predictor.containers();
  if (protocol.empty() && !containers.empty()) protocol = FindEnvironment(containers.front(), "PROTOCOL");
  const bool v2 = !service.transformer.has_value() && (protocol == "v2" || protocol == "grpc-v2");
  const std::string model = ModelNameOf(service);
  return "http://" + ClusterHost(service, service.metadata.name) +
         (v2 ? "/v2/models/" + model + "/infer" : "/v1/models/" + model + ":predict");
}

}  // namespace inferd::model
