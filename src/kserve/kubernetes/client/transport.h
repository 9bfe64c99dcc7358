#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "kserve/kubernetes/access/credentials.h"
#include "kserve/kubernetes/api/api_error.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::kubernetes {

// A request to the API server.
struct ApiRequest {
  std::string method = "GET";
  std::string path;  // with its query, percent-encoded
  std::string content_type{};
  std::string body{};
  std::chrono::milliseconds time_limit{0};  // 0 for the sender's default
  bool endless = false;                     // a watch: silence is no error
};

// Sends single requests with the credentials of the access. After a 401 it reads the credentials again, and sends the
// request a second time. It reuses connections. Thread-safe.
class Transport final {
 public:
  // Receives the body of a successful answer as it arrives. An error ends the transfer, and becomes the result of
  // Exchange.
  using Sink = std::function<ApiResult<void>(std::string_view)>;

  // The clock must outlive the transport.
  Transport(ClusterAccess access, const base::Clock& clock, std::string user_agent);

  // Blocks. Returns the server's error, or one with `code` 0: UNAVAILABLE (no connection, an interrupted or silent one,
  // the time limit), FAILED_PRECONDITION (an untrusted certificate, a redirect), CANCELLED (`stop`, within a second),
  // or an error of Credentials::Get.
  ApiResult<void> Exchange(const ApiRequest& request, const Sink& sink, const std::stop_token& stop);

  const ClusterAccess& access() const { return credentials_.access(); }

 private:
  using Fetcher = std::shared_ptr<const storage::FetchClient>;

  Fetcher FetcherOf(const Identity& identity);
  ApiResult<void> ExchangeOnce(const ApiRequest& request, const Identity& identity, const Sink& sink,
                               const std::stop_token& stop);

  Credentials credentials_;
  const std::string user_agent_;
  base::Mutex mutex_;
  Identity connected_ GUARDED_BY(mutex_);  // the identity that fetcher_ uses
  Fetcher fetcher_ GUARDED_BY(mutex_);
};

}  // namespace inferd::kubernetes
