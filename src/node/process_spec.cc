#include "node/process_spec.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "manifest/fields.h"
#include "manifest/value.h"

namespace inferd::node {

namespace {

using manifest::Kind;
using manifest::Value;

constexpr std::string_view kModels = "/mnt/models";
constexpr int64_t kDefaultPort = 8080;
constexpr std::string_view kContainer = "spec.containers[0]";

base::Status Unsupported(std::string_view field, std::string_view why) {
  return base::InvalidArgument(std::string(kContainer) + "." + std::string(field) + ": " + std::string(why));
}

// $(NAME) by what is known; what is not stays as it is (Kubernetes: expansion).
std::string Expand(std::string_view text, const std::map<std::string, std::string>& variables) {
  std::string expanded;
  while (!text.empty()) {
    const size_t dollar = text.find('$');
    expanded.append(text.substr(0, dollar));
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar);
    const size_t end = text.find(')');
    if (text.starts_with("$$")) {
      expanded.push_back('$');
      text.remove_prefix(2);
    } else if (text.starts_with("$(") && end != std::string_view::npos) {
      const auto found = variables.find(std::string(text.substr(2, end - 2)));
      expanded.append(found == variables.end() ? text.substr(0, end + 1) : std::string_view(found->second));
      text.remove_prefix(end + 1);
    } else {
      expanded.push_back('$');
      text.remove_prefix(1);
    }
  }
  return expanded;
}

// Each "/mnt/models" that is a whole path, or begins one.
std::string Moved(std::string text, const std::string& folder) {
  if (folder.empty()) return text;
  for (size_t at = text.find(kModels); at != std::string::npos; at = text.find(kModels, at)) {
    const size_t end = at + kModels.size();
    const bool begins = at == 0 || text[at - 1] == '=' || text[at - 1] == ':' || text[at - 1] == ',';
    const bool ends = end == text.size() || text[end] == '/' || text[end] == ':' || text[end] == ',';
    if (begins && ends) {
      text.replace(at, kModels.size(), folder);
      at += folder.size();
    } else {
      at = end;
    }
  }
  return text;
}

// "--http_port" of "--http_port=8080"; empty: no option.
std::string_view OptionName(std::string_view argument) {
  return argument.starts_with('-') ? argument.substr(0, argument.find('=')) : std::string_view();
}

// "--http_port", "-port", "--grpc-port"; not "--report".
bool NamesPort(std::string_view option) {
  constexpr std::string_view kPort = "port";
  return option.size() > kPort.size() && option.ends_with(kPort) &&
         std::string_view("-_.").contains(option[option.size() - kPort.size() - 1]);
}

class PortMap final {
 public:
  explicit PortMap(const PodPlace& place) : place_(place) {}

  base::Result<uint16_t> Of(int64_t port) {
    if (const auto found = ports_.find(port); found != ports_.end()) return found->second;
    INFERD_ASSIGN_OR_RETURN(const uint16_t taken, place_.take_port());
    return ports_[port] = taken;
  }

  // In place, in all arguments.
  base::Status Replace(std::vector<std::string>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view name = OptionName(arguments[i]);
      if (!NamesPort(name)) continue;
      const bool joined = name.size() < arguments[i].size();
      if (!joined && i + 1 == arguments.size()) continue;
      const std::string value = joined ? arguments[i].substr(name.size() + 1) : arguments[i + 1];
      const auto number = manifest::ParseInt64(value);
      if (!number.has_value() || *number <= 0 || *number > UINT16_MAX) continue;
      INFERD_ASSIGN_OR_RETURN(const uint16_t port, Of(*number));
      NoteGrpc(name, port, arguments);
      if (joined) {
        arguments[i] = std::string(name) + "=" + std::to_string(port);
      } else {
        arguments[++i] = std::to_string(port);
      }
    }
    return base::OkStatus();
  }

  // That calls of gRPC go to, as the arguments say; 0: they do not.
  uint16_t grpc_port() const { return grpc_port_; }

 private:
  void NoteGrpc(std::string_view name, uint16_t port, const std::vector<std::string>& arguments) {
    const bool beside_rest = std::ranges::any_of(
        arguments, [](const std::string& argument) { return OptionName(argument).ends_with("-rest_api_port"); });
    const bool plain = name == "--port" || name == "-port";
    if (name.find("grpc") != std::string_view::npos || (plain && beside_rest)) grpc_port_ = port;
  }

  uint16_t grpc_port_ = 0;
  const PodPlace& place_;
  std::map<int64_t, uint16_t> ports_;
};

std::vector<std::string> TextsOf(const Value& container, std::string_view key) {
  std::vector<std::string> texts;
  if (const Value* list = container.Find(key); list != nullptr && list->is(Kind::kList)) {
    for (const Value& item : list->items()) texts.push_back(item.text());
  }
  return texts;
}

base::Result<std::map<std::string, std::string>> VariablesOf(const Value& container, const PodPlace& place) {
  std::map<std::string, std::string> variables;
  const Value* const list = container.Find("env");
  if (list == nullptr || !list->is(Kind::kList)) return variables;
  for (const Value& item : list->items()) {
    const Value* const name = item.Find("name");
    if (name == nullptr) continue;
    if (item.Find("valueFrom") != nullptr) {
      return std::unexpected(Unsupported("env[" + name->text() + "].valueFrom", "is not known on this machine"));
    }
    const Value* const value = item.Find("value");
    variables[name->text()] = Moved(Expand(value == nullptr ? "" : value->text(), variables), place.models_folder);
  }
  return variables;
}

int64_t FirstPort(const Value& container) {
  const Value* const ports = container.Find("ports");
  if (ports == nullptr || !ports->is(Kind::kList) || ports->items().empty()) return kDefaultPort;
  const Value* const number = ports->items().front().Find("containerPort");
  return number == nullptr ? kDefaultPort : manifest::ParseInt64(number->text()).value_or(kDefaultPort);
}

// Of the container's port that says by its name that it is gRPC's; 0: none does.
int64_t NamedGrpcPort(const Value& container) {
  const Value* const ports = container.Find("ports");
  if (ports == nullptr || !ports->is(Kind::kList)) return 0;
  for (const Value& port : ports->items()) {
    const Value* const name = port.Find("name");
    const Value* const number = port.Find("containerPort");
    if (name == nullptr || number == nullptr) continue;
    if (name->text().starts_with("grpc") || name->text().starts_with("h2c")) {
      return manifest::ParseInt64(number->text()).value_or(0);
    }
  }
  return 0;
}

base::Result<std::string> ReadyPath(const Value& container) {
  const Value* const probe = container.Find("readinessProbe");
  if (probe == nullptr || probe->is(Kind::kNull) || probe->Find("tcpSocket") != nullptr) return std::string();
  const Value* const get = probe->Find("httpGet");
  if (get == nullptr) return std::unexpected(Unsupported("readinessProbe", "expected httpGet or tcpSocket"));
  const Value* const path = get->Find("path");
  return path == nullptr ? std::string("/") : path->text();
}

}  // namespace

base::Result<ProcessSpec> MakeProcess(const controlplane::ResolvedPod& pod, const PodPlace& place) {
  const Value* const containers = pod.pod_spec.Find("containers");
  if (containers == nullptr || !containers->is(Kind::kList) || containers->items().empty()) {
    return std::unexpected(base::InvalidArgument("spec.containers: there is none"));
  }
  const Value& container = containers->items().front();
  INFERD_ASSIGN_OR_RETURN(const auto variables, VariablesOf(container, place));
  std::vector<std::string> words = TextsOf(container, "command");
  if (words.empty()) {
    return std::unexpected(Unsupported(
        "command", "there is none: images are not run on this machine, only programs that are installed here"));
  }
  std::ranges::move(TextsOf(container, "args"), std::back_inserter(words));
  for (std::string& word : words) word = Moved(Expand(word, variables), place.models_folder);

  ProcessSpec spec;
  spec.program = words.front();
  spec.arguments.assign(std::make_move_iterator(words.begin() + 1), std::make_move_iterator(words.end()));
  PortMap ports(place);
  INFERD_ASSIGN_OR_RETURN(spec.port, ports.Of(FirstPort(container)));
  INFERD_RETURN_IF_ERROR(ports.Replace(spec.arguments));
  spec.grpc_port = ports.grpc_port();
  if (const int64_t named = NamedGrpcPort(container); spec.grpc_port == 0 && named > 0) {
    INFERD_ASSIGN_OR_RETURN(spec.grpc_port, ports.Of(named));
  }
  if (spec.grpc_port == 0) spec.grpc_port = spec.port;
  for (const auto& [name, value] : variables) spec.environment.push_back(name + "=" + value);
  spec.environment.push_back("PORT=" + std::to_string(spec.port));
  INFERD_ASSIGN_OR_RETURN(spec.ready_path, ReadyPath(container));
  if (const Value* grace = pod.pod_spec.Find("terminationGracePeriodSeconds"); grace != nullptr) {
    spec.grace = std::chrono::seconds(manifest::ParseInt64(grace->text()).value_or(30));
  }
  return spec;
}

}  // namespace inferd::node
