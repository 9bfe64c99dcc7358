#include "storage/transfer/fetch_client.h"

#include "base/mutex.h"
#include "base/text/ascii_case.h"
#include "storage/transfer/curl_transfer.h"

namespace inferd::storage {

namespace {

// Returns "https://host:443" of "https://host:443/path". An origin that is written in two ways counts as two, and then
// loses its headers.
std::string_view OriginOf(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return url;
  return url.substr(0, url.find_first_of("/?#", scheme + 3));
}

}  // namespace

// Idle handles of libcurl, each with its connections.
class FetchClient::Connections final {
 public:
  std::unique_ptr<CurlTransfer> Take() {
    const base::MutexLock lock(mutex_);
    if (idle_.empty()) return std::make_unique<CurlTransfer>();
    auto taken = std::move(idle_.back());
    idle_.pop_back();
    return taken;
  }
  void Return(std::unique_ptr<CurlTransfer> transfer) {
    const base::MutexLock lock(mutex_);
    idle_.push_back(std::move(transfer));
  }

 private:
  base::Mutex mutex_;
  std::vector<std::unique_ptr<CurlTransfer>> idle_ GUARDED_BY(mutex_);
};

std::string_view ResponseHead::Find(std::string_view name) const {
  for (auto at = headers.rbegin(); at != headers.rend(); ++at) {
    if (base::EqualWithoutCase(at->first, name)) return at->second;
  }
  return {};
}

FetchClient::FetchClient(Options options)
    : options_(std::move(options)), connections_(std::make_unique<Connections>()) {}
FetchClient::~FetchClient() = default;

base::Status FetchClient::Fetch(const FetchRequest& request, const FetchSink& sink, const std::stop_token& stop) const {
  auto transfer = connections_->Take();
  FetchRequest next = request;
  base::Status status;
  for (int redirects = 0;; ++redirects) {
    auto location = transfer->Perform(options_, next, sink, stop);
    if (!location.has_value()) {
      status = std::move(location).error();
      break;
    }
    if (location->empty()) break;
    if (redirects == options_.redirects_max) {
      status = base::FailedPrecondition(ShownUri(request.url) + ": more than " +
                                        std::to_string(options_.redirects_max) + " redirects");
      break;
    }
    if (OriginOf(*location) != OriginOf(request.url)) {
      next.headers.clear();
      next.signing.reset();
    }
    next.url = *std::move(location);
  }
  connections_->Return(std::move(transfer));
  return status;
}

base::Status StatusOfResponse(int status, std::string message) {
  constexpr int kServerError = 500;
  switch (status) {
    case 401:
    case 403: return base::PermissionDenied(std::move(message));
    case 404:
    case 410: return base::NotFound(std::move(message));
    case 408:
    case 429: return base::Unavailable(std::move(message));
    default:
      return status >= kServerError ? base::Unavailable(std::move(message))
                                    : base::FailedPrecondition(std::move(message));
  }
}

}  // namespace inferd::storage
