#include "net/http/net_metrics.h"

#include <algorithm>
#include <functional>
#include <string>

namespace inferd::net {

namespace {

// All statuses that the server sends; others count as the first of their class.
constexpr std::array kStatuses = {200, 100, 101, 201, 202, 204, 206, 300, 304, 400, 401, 403, 404, 405, 408, 409,
                                  412, 413, 414, 415, 417, 422, 429, 431, 499, 500, 501, 502, 503, 504, 505};

size_t IndexOf(int status) {
  auto found = std::find(kStatuses.begin(), kStatuses.end(), status);
  if (found == kStatuses.end()) found = std::find(kStatuses.begin(), kStatuses.end(), status / 100 * 100);
  return found == kStatuses.end() ? 0 : static_cast<size_t>(found - kStatuses.begin());
}

}  // namespace

void NetMetrics::CountResponse(int status) {
  static_assert(kStatuses.size() <= std::tuple_size_v<decltype(responses_)>);
  Bump(responses_[IndexOf(status)], 1);
}

int64_t NetMetrics::responses(int status) const { return responses_[IndexOf(status)].load(std::memory_order_relaxed); }

void NetMetrics::Publish(std::shared_ptr<const NetMetrics[]> loops, size_t count, metrics::Registry& registry) {
  using Kind = metrics::Registry::CallbackKind;
  const auto sum = [loops, count](auto read) -> std::function<double()> {
    return [loops, count, read] {
      int64_t total = 0;
      for (size_t i = 0; i < count; ++i) total += read(loops[i]);
      return static_cast<double>(total);
    };
  };
  registry.AddCallback(Kind::kGauge, "inferd_http_connections", "Open connections", {},
                       sum([](const NetMetrics& m) { return m.connections(); }));
  registry.AddCallback(Kind::kCounter, "inferd_http_connections_total", "Connections accepted", {},
                       sum([](const NetMetrics& m) { return m.connections_total(); }));
  registry.AddCallback(Kind::kGauge, "inferd_http_requests_in_flight", "Requests received and not yet answered", {},
                       sum([](const NetMetrics& m) { return m.in_flight(); }));
  registry.AddCallback(Kind::kCounter, "inferd_http_received_bytes_total", "Bytes read from connections", {},
                       sum([](const NetMetrics& m) { return m.bytes_read(); }));
  registry.AddCallback(Kind::kCounter, "inferd_http_sent_bytes_total", "Bytes written to connections", {},
                       sum([](const NetMetrics& m) { return m.bytes_written(); }));
  for (const int status : kStatuses) {
    registry.AddCallback(Kind::kCounter, "inferd_http_requests_total", "Responses by status code",
                         {{"code", std::to_string(status)}},
                         sum([status](const NetMetrics& m) { return m.responses(status); }));
  }
}

}  // namespace inferd::net
