#include "kserve/kubernetes/client/transport.h"

#include <utility>

namespace inferd::kubernetes {

namespace {

constexpr int kSuccess = 200;
constexpr int kRedirects = 300;
constexpr int kUnauthorized = 401;
constexpr size_t kErrorBytesMax = 64 << 10;
constexpr std::string_view kScheme = "://";

// The address to connect to, and the name to verify. They differ if the certificate is for another name.
struct Place {
  std::string url;
  std::string connect_to;  // empty for the URL's address
  std::string host;        // value of the Host header; empty for the URL's host
};

Place PlaceOf(const ClusterAccess& access) {
  if (access.server_name.empty()) return {.url = access.server, .connect_to = {}, .host = {}};
  const size_t begin = access.server.find(kScheme) + kScheme.size();
  const size_t end = access.server.find('/', begin);
  const std::string authority = access.server.substr(begin, end - begin);
  const size_t colon = authority.rfind(':');
  const bool has_port = colon != std::string::npos && !authority.ends_with(']');
  const std::string port = has_port ? authority.substr(colon) : ":443";
  const std::string path = end == std::string::npos ? "" : access.server.substr(end);
  return {.url = access.server.substr(0, begin) + access.server_name + port + path,
          .connect_to = has_port ? authority : authority + port,
          .host = authority};
}

}  // namespace

Transport::Transport(ClusterAccess access, const base::Clock& clock, std::string user_agent)
    : credentials_(std::move(access), clock), user_agent_(std::move(user_agent)) {}

Transport::Fetcher Transport::FetcherOf(const Identity& identity) {
  const base::MutexLock lock(mutex_);
  const bool same = connected_.authorities == identity.authorities && connected_.certificate == identity.certificate &&
                    connected_.private_key == identity.private_key;
  if (fetcher_ == nullptr || !same) {
    // Requests in flight keep the old fetcher until they end.
    fetcher_ = std::make_shared<const storage::FetchClient>(
        storage::FetchClient::Options{.redirects_max = 0,
                                      .verify_peer = !access().insecure,
                                      .authorities = identity.authorities,
                                      .certificate = identity.certificate,
                                      .private_key = identity.private_key,
                                      .connect_to = PlaceOf(access()).connect_to});
    connected_ = identity;
  }
  return fetcher_;
}

ApiResult<void> Transport::Exchange(const ApiRequest& request, const Sink& sink, const std::stop_token& stop) {
  for (bool again = false;; again = true) {
    const auto identity = credentials_.Get();
    if (!identity.has_value()) return std::unexpected(ErrorWithoutAnswer(identity.error()));
    auto exchanged = ExchangeOnce(request, *identity, sink, stop);
    if (exchanged.has_value() || exchanged.error().code != kUnauthorized) return exchanged;
    credentials_.Refuse(*identity);
    if (again) return exchanged;
  }
}

ApiResult<void> Transport::ExchangeOnce(const ApiRequest& request, const Identity& identity, const Sink& sink,
                                        const std::stop_token& stop) {
  const Place place = PlaceOf(access());
  storage::FetchRequest fetch{.method = request.method,
                              .url = place.url + request.path,
                              .headers = {{"Accept", "application/json"}, {"User-Agent", user_agent_}},
                              .body = request.body,
                              .time_limit = request.time_limit};
  if (!place.host.empty()) fetch.headers.emplace_back("Host", place.host);
  if (!identity.authorization.empty()) fetch.headers.emplace_back("Authorization", identity.authorization);
  if (!request.content_type.empty()) fetch.headers.emplace_back("Content-Type", request.content_type);
  if (request.endless) fetch.stall_timeout = std::chrono::seconds(0);

  int code = 0;
  std::string retry_after;
  std::string refusal;
  ApiResult<void> sunk;
  const storage::FetchSink receiving{.head =
                                         [&](const storage::ResponseHead& head) {
                                           code = head.status;
                                           retry_after = head.Find("retry-after");
                                           return true;
                                         },
                                     .body =
                                         [&](std::string_view bytes) {
                                           if (code >= kSuccess && code < kRedirects) {
                                             sunk = sink(bytes);
                                             return sunk.has_value() ? base::OkStatus()
                                                                     : base::Cancelled("the sink has an error");
                                           }
                                           refusal += bytes.substr(0, kErrorBytesMax - refusal.size());
                                           return base::OkStatus();
                                         }};
  const base::Status status = FetcherOf(identity)->Fetch(fetch, receiving, stop);
  if (!sunk.has_value()) return sunk;
  if (!status.ok()) return std::unexpected(ErrorWithoutAnswer(status));
  if (code < kSuccess || code >= kRedirects) return std::unexpected(ErrorOfAnswer(code, refusal, retry_after));
  return {};
}

}  // namespace inferd::kubernetes
