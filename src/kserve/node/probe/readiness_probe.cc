#include "kserve/node/probe/readiness_probe.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "data/manifest/fields.h"

namespace inferd::node {

namespace {

using manifest::Kind;
using manifest::Value;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int64_t kDelayMaxS = 3'600;
constexpr seconds kTimeoutMin{2};
constexpr seconds kTimeoutMax{30};

const Value* MapIn(const Value& map, std::string_view key) {
  const Value* const value = map.Find(key);
  return value != nullptr && value->is(Kind::kMap) ? value : nullptr;
}

std::string TextAt(const Value& map, std::string_view key) {
  const Value* const value = map.Find(key);
  return value == nullptr ? std::string() : value->text();
}

int64_t SecondsAt(const Value& map, std::string_view key, int64_t most) {
  return std::clamp<int64_t>(manifest::ParseInt64(TextAt(map, key)).value_or(0), 0, most);
}

// Returns the number of a port, given as a number or by its name in the container. 0 if there is none.
int64_t PortNumber(const Value& container, const std::string& text) {
  if (const auto number = manifest::ParseInt64(text); number.has_value()) return *number;
  const Value* const ports = container.Find("ports");
  if (ports == nullptr || text.empty()) return 0;
  for (const Value& port : ports->items()) {
    if (TextAt(port, "name") == text) return manifest::ParseInt64(TextAt(port, "containerPort")).value_or(0);
  }
  return 0;
}

bool IsPartOfWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// Replaces each separate number in `text` that is a port of the container, as in "localhost:8080/ready", by its local
// port.
std::string WithPorts(const std::string& text, const FindPort& find_port) {
  std::string moved;
  for (size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || !IsPartOfWord(text[at - 1]);
    size_t end = at;
    while (end < text.size() && IsPartOfWord(text[end])) ++end;
    const std::string word = begins ? text.substr(at, end - at) : "";
    const auto number = manifest::ParseInt64(word);
    const uint16_t port = number.has_value() ? find_port(*number) : 0;
    if (port != 0) {
      moved += std::to_string(port);
    } else {
      end = std::max(end, at + 1);
      moved += text.substr(at, end - at);
    }
    at = end;
  }
  return moved;
}

void ReadHandler(const Value& probe, const Value& container, const FindPort& find_port, ReadinessProbe& read) {
  const auto port_of = [&](const Value& handler) { return find_port(PortNumber(container, TextAt(handler, "port"))); };
  if (const Value* const get = MapIn(probe, "httpGet")) {
    read.port = port_of(*get);
    const std::string scheme = TextAt(*get, "scheme");
    if (!scheme.empty() && scheme != "HTTP") return;
    read.way = ReadinessProbe::Way::kHttp;
    read.path = TextAt(*get, "path");
    if (!read.path.starts_with('/')) read.path.insert(0, "/");
  } else if (const Value* const exec = MapIn(probe, "exec")) {
    const Value* const words = exec->Find("command");
    if (words == nullptr || words->items().empty()) return;
    read.way = ReadinessProbe::Way::kCommand;
    for (const Value& word : words->items()) read.command.push_back(WithPorts(word.text(), find_port));
  } else if (const Value* const grpc = MapIn(probe, "grpc")) {
    read.way = ReadinessProbe::Way::kGrpc;
    read.port = port_of(*grpc);
    read.service = TextAt(*grpc, "service");
  } else if (const Value* const connection = MapIn(probe, "tcpSocket")) {
    read.port = port_of(*connection);
  }
}

}  // namespace

ReadinessProbe ReadReadinessProbe(const Value& container, const FindPort& find_port) {
  ReadinessProbe read;
  const Value* const probe = MapIn(container, "readinessProbe");
  if (probe == nullptr) return read;
  ReadHandler(*probe, container, find_port, read);
  read.initial_delay = seconds(SecondsAt(*probe, "initialDelaySeconds", kDelayMaxS));
  read.timeout = std::clamp(seconds(SecondsAt(*probe, "timeoutSeconds", kDelayMaxS)), kTimeoutMin, kTimeoutMax);
  return read;
}

}  // namespace inferd::node
