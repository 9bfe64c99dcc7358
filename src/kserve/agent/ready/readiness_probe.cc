#include "kserve/agent/ready/readiness_probe.h"

#include <utility>

#include "data/json/read.h"

namespace inferd::agent {

namespace {

using json::Reader;

struct ProbeTarget {
  std::string host;
  std::optional<int64_t> port;
  std::string path = "/";
};

// Reads a port. It may be the name of a container's port, which is unknown here.
base::Status ReadPort(Reader& reader, std::optional<int64_t>& port) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type == json::ValueType::kString) return reader.SkipValue();
  INFERD_ASSIGN_OR_RETURN(port, reader.ReadInt64());
  if (*port < 0 || *port > UINT16_MAX) return reader.Error("expected a port");
  return {};
}

base::Status ReadTarget(Reader& reader, ProbeTarget& target) {
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "host") return json::ReadText(reader, target.host);
    if (key == "path") return json::ReadText(reader, target.path);
    if (key == "port") return ReadPort(reader, target.port);
    if (key != "scheme") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(const std::string_view scheme, reader.ReadString());
    return scheme == "HTTP" ? base::OkStatus() : reader.Error("only the scheme HTTP is known");
  });
}

// Returns the target's address. Missing parts are the component's.
base::Result<net::upstream::Address> AddressOf(const ProbeTarget& target, const net::upstream::Address& component) {
  const bool here = target.host.empty() || target.host == "localhost";
  const bool has_port = target.port.value_or(0) != 0;
  if (component.family() == AF_UNIX && here && !has_port) return component;
  const std::string known = component.family() == AF_UNIX ? "127.0.0.1:0" : component.text();
  const size_t colon = known.rfind(':');
  std::string host = here ? known.substr(0, colon) : target.host;
  if (!here && host.contains(':')) host = "[" + host + "]";
  return net::upstream::Address::Parse(host + ":" +
                                       (has_port ? std::to_string(*target.port) : known.substr(colon + 1)));
}

}  // namespace

base::Result<ReadinessProbe> ParseReadinessProbe(std::string_view json, const net::upstream::Address& component) {
  std::optional<ProbeTarget> get;
  std::optional<ProbeTarget> connect;
  int64_t timeout_s = 0;
  const base::Status read = json::ReadWholeObject(json, [&](Reader& reader, std::string_view key) -> base::Status {
    if (key == "httpGet") return ReadTarget(reader, get.emplace());
    if (key == "tcpSocket") return ReadTarget(reader, connect.emplace());
    if (key == "exec" || key == "grpc") return reader.Error("a probe by " + std::string(key) + " is not known");
    if (key != "timeoutSeconds") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(timeout_s, reader.ReadInt64());
    return timeout_s >= 0 && timeout_s <= 3600 ? base::OkStatus() : reader.Error("expected 0 to 3600 seconds");
  });
  INFERD_RETURN_IF_ERROR(read);
  if (get.has_value() && connect.has_value()) {
    return std::unexpected(base::InvalidArgument("a probe has httpGet or tcpSocket, not both"));
  }
  if (get.has_value() && (!get->path.starts_with('/') || get->path.find_first_of(" \r\n\t") != std::string::npos)) {
    return std::unexpected(base::InvalidArgument("httpGet.path: expected a path"));
  }
  INFERD_ASSIGN_OR_RETURN(auto address, AddressOf(get.value_or(connect.value_or(ProbeTarget())), component));
  ReadinessProbe probe{.address = std::move(address), .host = {}, .path = std::nullopt};
  probe.host = probe.address.family() == AF_UNIX ? "localhost" : probe.address.text();
  if (get.has_value()) probe.path = std::move(get->path);
  if (timeout_s > 0) probe.timeout = std::chrono::seconds(timeout_s);
  return probe;
}

}  // namespace inferd::agent
