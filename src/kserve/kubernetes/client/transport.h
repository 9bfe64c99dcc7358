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
  std::string path;  // with its parameters, percent-encoded
  std::string content_type{};
  std::string body{};
  std::chrono::milliseconds time_limit{0};  // 0: what the sender has for all
  bool endless = false;                     // a watch: nothing may come for long
};

// Sends single requests with the credentials of the access. Where the server refuses them (401), they are read anew and
// the request is sent once more. Connections are used again. Thread-safe.
class Transport final {
 public:
  // Receives a success's body as it comes; an error ends the transfer, and is what Exchange returns.
  using Sink = std::function<ApiResult<void>(std::string_view)>;

  // The clock outlives it.
  Transport(ClusterAccess access, const base::Clock& clock, std::string user_agent);

  // Blocks. Errors: what the server says; of `code` 0: UNAVAILABLE (no
  // connection, a cut or a silent one, the time limit), FAILED_PRECONDITION (a certificate that is not trusted, a
  // redirect), CANCELLED (`stop`, within a second), and those of Credentials::Get.
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
  Identity connected_ GUARDED_BY(mutex_);  // of fetcher_
  Fetcher fetcher_ GUARDED_BY(mutex_);
};

}  // namespace inferd::kubernetes
