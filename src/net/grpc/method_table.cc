#include "net/grpc/method_table.h"

#include <algorithm>
#include <string>
#include <utility>

namespace inferd::net::grpc {

namespace {

constexpr size_t kNameBytesMax = 256;  // of a name that an error repeats

// Returns "/package.Service/" of "/package.Service/Method".
std::string_view ServiceOf(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

}  // namespace

MethodTable::MethodTable(std::vector<Method> methods, CallMetrics* metrics) {
  entries_.reserve(methods.size());
  for (Method& method : methods) {
    Entry& entry = entries_.emplace_back(std::move(method));
    if (metrics != nullptr) entry.metrics = metrics->ForMethod(entry.method.path);
    by_path_.emplace(entry.method.path, &entry);
  }
  if (metrics != nullptr) unknown_ = metrics->ForMethod("unknown");
}

MethodTable::Entry* MethodTable::Find(std::string_view path) {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : found->second;
}

void MethodTable::OnDrain() {
  for (Entry& entry : entries_) {
    if (entry.method.on_drain) entry.method.on_drain();
  }
}

base::Status MethodTable::UnknownMethod(std::string_view path) const {
  const std::string_view service = ServiceOf(path);
  if (service.size() < 3 || !path.starts_with('/')) {
    return base::Unimplemented("malformed method name '" + std::string(path.substr(0, kNameBytesMax)) + "'");
  }
  const std::string name(service.substr(1, service.size() - 2).substr(0, kNameBytesMax));
  const bool known = std::ranges::any_of(entries_, [&](const Entry& e) { return ServiceOf(e.method.path) == service; });
  if (!known) return base::Unimplemented("unknown service " + name);
  const std::string method(path.substr(service.size()).substr(0, kNameBytesMax));
  return base::Unimplemented("unknown method " + method + " for service " + name);
}

}  // namespace inferd::net::grpc
