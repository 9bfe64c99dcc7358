#include "kserve/local/local_pod.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "kserve/model/api/annotations.h"
#include "kserve/model/api/pod_spec.h"
#include "kserve/model/pods/pod_parts.h"

namespace inferd::local {

namespace {

using manifest::Kind;
using manifest::Value;
using model::ComponentKind;

constexpr std::string_view kModels = "/mnt/models";
constexpr std::string_view kStorageVariable = "STORAGE_URI";
constexpr std::array<std::string_view, 3> kClusterSuffixes = {".svc.cluster.local", ".svc", ""};

// Replaces each `name` that is a whole word, an option's value or a URL's host.
std::string Replaced(std::string text, std::string_view name, std::string_view place) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || text[at - 1] == '=' || text[at - 1] == '/';
    const bool ends = end == text.size() || text[end] == '/' || text[end] == ':';
    if (!begins || !ends) {
      at = end;
      continue;
    }
    // The Service's port is replaced too, by the gateway's.
    size_t behind = end;
    if (behind < text.size() && text[behind] == ':') {
      behind = std::min(text.find_first_not_of("0123456789", behind + 1), text.size());
    }
    text.replace(at, behind - at, place);
    at += place.size();
  }
  return text;
}

class Localizer final {
 public:
  Localizer(const model::InferenceService& service, const std::string& predictor)
      : service_(service), place_(predictor) {}

  void Localize(Value& container) const {
    for (const char* list : {"command", "args"}) {
      if (container.Find(list) == nullptr) continue;
      for (Value& word : model::ListOf(container, list)) Rename(word);
    }
    if (container.Find("env") == nullptr) return;
    for (Value& variable : model::ListOf(container, "env")) {
      if (!variable.is(Kind::kMap) || variable.Find("value") == nullptr) continue;
      const Value* const name = variable.Find("name");
      if (name != nullptr && name->text() == kStorageVariable) {
        variable.Set("value", Value::String(std::string(kModels)));
      } else {
        Rename(variable.At("value"));
      }
    }
  }

  void RunByInferd(Value& container) const {
    container.Set("command", Value::List({Value::String("inferd")}));
    std::vector<Value>& arguments = model::ListOf(container, "args");
    std::vector<Value> added = {Value::String("--as=kserve"), Value::String("--model_dir=" + std::string(kModels))};
    const auto add_if_absent = [&](const std::string& name, const std::string& value) {
      if (!model::HasArgument(container, name)) added.push_back(Value::String(name + "=" + value));
    };
    add_if_absent("--model_name", service_.metadata.name);
    add_if_absent("--http_port", "8080");
    add_if_absent("--grpc_port", "8081");
    arguments.insert(arguments.begin(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  }

 private:
  void Rename(Value& word) const {
    if (!word.is(Kind::kString)) return;
    const std::string name =
        ComponentObjectName(service_, ComponentKind::kPredictor) + "." + service_.metadata.namespace_name;
    std::string text = word.text();
    for (const std::string_view suffix : kClusterSuffixes) text = Replaced(text, name + std::string(suffix), place_);
    if (text != word.text()) word = Value::String(std::move(text));
  }

  const model::InferenceService& service_;
  const std::string place_;
};

// Tells an inferd server that calls will load its models.
void AllowLoading(Value& container) {
  constexpr const char* kControl = "--model-control-mode";
  if (container.Find("command") == nullptr || model::HasArgument(container, kControl)) return;
  const std::vector<Value>& command = model::ListOf(container, "command");
  if (command.empty() || command.front().text() != "inferd") return;
  model::ListOf(container, "args").push_back(Value::String(std::string(kControl) + "=explicit"));
}

}  // namespace

std::string LocalPath(const model::InferenceService& service, ComponentKind kind) {
  return "/components/" + service.metadata.namespace_name + "/" + ComponentObjectName(service, kind);
}

bool AsksOverGrpc(const model::ResolvedPod& pod) {
  constexpr std::string_view kOption = "--predictor_protocol";
  constexpr std::string_view kGrpc = "grpc-v2";
  const Value* const containers = pod.pod_spec.Find("containers");
  if (containers == nullptr || containers->items().empty()) return false;
  bool named = false;
  for (const char* const list : {"command", "args"}) {
    const Value* const words = containers->items().front().Find(list);
    if (words == nullptr) continue;
    for (const Value& word : words->items()) {
      if (named && word.text() == kGrpc) return true;
      if (word.text() == std::string(kOption) + "=" + std::string(kGrpc)) return true;
      named = word.text() == kOption;
    }
  }
  return false;
}

model::ResolvedPod MakeLocal(model::ResolvedPod pod, const model::InferenceService& service,
                             const std::string& predictor) {
  std::vector<Value>& containers = model::ListOf(pod.pod_spec, "containers");
  if (containers.empty()) return pod;
  Value& container = containers.front();
  const Localizer localizer(service, predictor);
  const bool has_command = container.Find("command") != nullptr && !model::ListOf(container, "command").empty();
  const bool has_model = !model::FindEnvironment(container, kStorageVariable).empty();
  if (pod.runtime.empty() && !has_command && has_model) localizer.RunByInferd(container);
  if (pod.annotations.contains(model::kModelDirAnnotation)) AllowLoading(container);
  localizer.Localize(container);
  return pod;
}

}  // namespace inferd::local
