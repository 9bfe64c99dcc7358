#include "kserve/node/process_spec.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "data/manifest/fields.h"
#include "data/manifest/value.h"
#include "kserve/node/container_variables.h"
#include "kserve/node/probe/ask.h"

namespace inferd::node {

namespace {

using manifest::Kind;
using manifest::Value;

constexpr int64_t kDefaultPort = 8080;

// Returns the first of the moves whose path begins at `at`, as a whole path or a parent folder. The longest paths come
// first.
const PathMove* FindMove(const std::string& text, size_t at, const std::vector<PathMove>& moves) {
  if (at != 0 && !std::string_view("=:,").contains(text[at - 1])) return nullptr;
  const auto found = std::ranges::find_if(moves, [&](const PathMove& move) {
    const size_t end = at + move.from.size();
    return !move.from.empty() && text.compare(at, move.from.size(), move.from) == 0 &&
           (end == text.size() || std::string_view("/:,").contains(text[end]));
  });
  return found == moves.end() ? nullptr : &*found;
}

// Replaces each moved path by its local path.
std::string Moved(const std::string& text, const std::vector<PathMove>& moves) {
  std::string moved;
  for (size_t at = 0; at < text.size();) {
    const PathMove* const move = FindMove(text, at, moves);
    moved += move == nullptr ? std::string(1, text[at]) : move->to;
    at += move == nullptr ? 1 : move->from.size();
  }
  return moved;
}

// Returns "--http_port" of "--http_port=8080". Empty if it is not an option.
std::string_view OptionName(std::string_view argument) {
  return argument.starts_with('-') ? argument.substr(0, argument.find('=')) : std::string_view();
}

// Returns true for "--http_port", "-port", "--grpc-port", but not for "--report".
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

  // Returns 0 if no local port was taken for it.
  uint16_t Find(int64_t port) const {
    const auto found = ports_.find(port);
    return found == ports_.end() ? 0 : found->second;
  }

  // Returns true if Of() returned this local port.
  bool IsLocal(int64_t port) const {
    return std::ranges::any_of(ports_, [&](const auto& taken) { return taken.second == port; });
  }

  // Replaces the ports in all arguments, in place. Local ports, of an expanded $(PORT), stay.
  base::Status Replace(std::vector<std::string>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view name = OptionName(arguments[i]);
      if (!NamesPort(name)) continue;
      const bool joined = name.size() < arguments[i].size();
      if (!joined && i + 1 == arguments.size()) continue;
      const std::string value = joined ? arguments[i].substr(name.size() + 1) : arguments[i + 1];
      const auto number = manifest::ParseInt64(value);
      if (!number.has_value() || *number <= 0 || *number > UINT16_MAX) continue;
      uint16_t port = static_cast<uint16_t>(*number);
      if (!IsLocal(port)) {
        INFERD_ASSIGN_OR_RETURN(port, Of(port));
      }
      NoteGrpc(name, port, arguments);
      if (joined) {
        arguments[i] = std::string(name) + "=" + std::to_string(port);
      } else {
        arguments[++i] = std::to_string(port);
      }
    }
    return base::OkStatus();
  }

  // Returns the port for gRPC calls that the arguments name. 0 if they name none.
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

int64_t FirstPort(const Value& container) {
  const Value* const ports = container.Find("ports");
  if (ports == nullptr || !ports->is(Kind::kList) || ports->items().empty()) return kDefaultPort;
  const Value* const number = ports->items().front().Find("containerPort");
  return number == nullptr ? kDefaultPort : manifest::ParseInt64(number->text()).value_or(kDefaultPort);
}

// Returns the container's port whose name says that it is for gRPC. 0 if there is none.
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

// Returns the error for a container with an image but no command.
base::Status NoCommand(const Value& container, const model::ResolvedPod& pod) {
  const Value* const image = container.Find("image");
  std::string why = "there is none";
  if (image != nullptr) why += ", only the image '" + image->text() + "'";
  why += ": images are not run on this machine, only programs that are installed here, named by command";
  why += pod.kind == model::ComponentKind::kExplainer
             ? "; or a class with explain() in a model.py, for inferd, named by the variable STORAGE_URI"
             : "; or a model for inferd, named by the variable STORAGE_URI";
  return base::InvalidArgument(FieldOfContainer(pod, "command") + ": " + why);
}

// A probe of an unknown port uses the port for requests, because nothing would listen on a separate one.
ReadinessProbe ProbeOf(const Value& container, const PortMap& ports, const PodPlace& place, const ProcessSpec& spec) {
  ReadinessProbe probe = ReadReadinessProbe(container, [&](int64_t port) { return ports.Find(port); });
  for (std::string& word : probe.command) word = Moved(word, place.moves);
  if (probe.port == spec.port) probe.port = 0;
  return probe;
}

void SetVariable(const std::string& name, const std::string& value, std::vector<std::string>& environment) {
  const std::string begin = name + "=";
  std::erase_if(environment, [&](const std::string& variable) { return variable.starts_with(begin); });
  environment.push_back(begin + value);
}

}  // namespace

std::string ProcessSpec::http_address() const { return http_socket.empty() ? AddressAt(port) : "unix:" + http_socket; }

std::string ProcessSpec::grpc_address() const {
  return grpc_socket.empty() ? AddressAt(grpc_port) : "unix:" + grpc_socket;
}

std::string ProcessSpec::probe_address() const {
  if (!http_socket.empty()) {
    const bool of_grpc = probe.way == ReadinessProbe::Way::kGrpc || (probe.port != 0 && probe.port == grpc_port);
    return of_grpc ? grpc_address() : http_address();
  }
  return probe.port == 0 ? http_address() : AddressAt(probe.port);
}

base::Result<ProcessSpec> MakeProcess(const model::ResolvedPod& pod, const PodPlace& place) {
  const Value* const containers = pod.pod_spec.Find("containers");
  if (containers == nullptr || !containers->is(Kind::kList) || containers->items().empty()) {
    return std::unexpected(base::InvalidArgument("spec.containers: there is none"));
  }
  const Value& container = containers->items().front();
  INFERD_ASSIGN_OR_RETURN(manifest::StringMap variables,
                          ContainerVariables(container, {.pod = pod, .pod_name = place.pod_name, .find = place.find}));
  for (auto& [name, value] : variables) value = Moved(value, place.moves);
  ProcessSpec spec;
  PortMap ports(place);
  INFERD_ASSIGN_OR_RETURN(spec.port, ports.Of(FirstPort(container)));
  variables["PORT"] = std::to_string(spec.port);
  std::vector<std::string> words = TextsOf(container, "command");
  if (words.empty()) return std::unexpected(NoCommand(container, pod));
  std::ranges::move(TextsOf(container, "args"), std::back_inserter(words));
  for (std::string& word : words) word = Moved(ExpandVariables(word, variables), place.moves);

  spec.program = words.front();
  spec.arguments.assign(std::make_move_iterator(words.begin() + 1), std::make_move_iterator(words.end()));
  INFERD_RETURN_IF_ERROR(ports.Replace(spec.arguments));
  spec.grpc_port = ports.grpc_port();
  if (const int64_t named = NamedGrpcPort(container); spec.grpc_port == 0 && named > 0) {
    INFERD_ASSIGN_OR_RETURN(spec.grpc_port, ports.Of(named));
  }
  if (spec.grpc_port == 0) spec.grpc_port = spec.port;
  for (const auto& [name, value] : variables) spec.environment.push_back(name + "=" + value);
  spec.probe = ProbeOf(container, ports, place, spec);
  spec.resources = ReadResources(container);
  if (const Value* grace = pod.pod_spec.Find("terminationGracePeriodSeconds"); grace != nullptr) {
    spec.grace = std::chrono::seconds(manifest::ParseInt64(grace->text()).value_or(30));
  }
  return spec;
}

bool CanListenOnSockets(const ProcessSpec& spec) {
  if (std::filesystem::path(spec.program).filename() != "inferd" || !spec.probe.command.empty()) return false;
  return std::ranges::none_of(spec.arguments, [](const std::string& argument) {
    const std::string_view option = OptionName(argument);
    return option.ends_with("-unix-socket") || option.ends_with("_socket_path");
  });
}

void ListenOnSockets(const std::string& path, ProcessSpec& spec) {
  spec.http_socket = path + ".http";
  spec.grpc_socket = path + ".grpc";
  SetVariable("INFERD_TCP", "false", spec.environment);
  SetVariable("INFERD_HTTP_UNIX_SOCKET", spec.http_socket, spec.environment);
  SetVariable("INFERD_GRPC_UNIX_SOCKET", spec.grpc_socket, spec.environment);
  SetVariable("INFERD_UNIX_SOCKET_CLIENT_PID", std::to_string(getpid()), spec.environment);
}

}  // namespace inferd::node
