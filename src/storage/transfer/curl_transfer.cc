#include "storage/transfer/curl_transfer.h"

#include <mutex>
#include <new>
#include <utility>

namespace inferd::storage {

namespace {

constexpr size_t kHeadersMax = 256;
constexpr int kFirstFinalStatus = 200;  // lower ones are interim responses

CURL* MakeHandle() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  CURL* const handle = curl_easy_init();
  if (handle == nullptr) throw std::bad_alloc();
  return handle;
}

// libcurl copies the text.
void SetPem(CURL* curl, CURLoption option, const std::string& pem) {
  curl_blob blob{.data = const_cast<char*>(pem.data()), .len = pem.size(), .flags = CURL_BLOB_COPY};
  curl_easy_setopt(curl, option, &blob);
}

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

std::string_view TrimLine(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

struct CurlTransfer::Receiving {
  CURL* curl;
  const FetchSink& sink;
  const std::stop_token& stop;
  ResponseHead head{};
  bool has_head = false;  // afterwards comes the body, possibly with trailers
  bool redirected = false;
  bool enough = false;  // the sink needs no more
  base::Status status{};

  bool EndHead() {
    long code = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &code);
    head.status = static_cast<int>(code);
    if (head.status < kFirstFinalStatus) return true;
    has_head = true;
    redirected = IsRedirect(head.status) && !head.Find("location").empty();
    if (redirected) return true;
    const auto wanted = sink.head(head);
    if (!wanted.has_value()) status = wanted.error();
    enough = wanted.has_value() && !*wanted;
    return wanted.has_value() && *wanted;
  }
};

CurlTransfer::CurlTransfer() : curl_(MakeHandle()) {}

CurlTransfer::~CurlTransfer() {
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
  curl_easy_cleanup(curl_);
}

size_t CurlTransfer::OnHeader(char* data, size_t, size_t size, void* user) {
  auto& receiving = *static_cast<Receiving*>(user);
  if (receiving.has_head) return size;  // a trailer
  const std::string_view line = TrimLine({data, size});
  if (line.empty()) return receiving.EndHead() ? size : 0;
  if (line.starts_with("HTTP/")) {
    receiving.head = {};
    return size;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || receiving.head.headers.size() >= kHeadersMax) return size;
  receiving.head.headers.emplace_back(line.substr(0, colon), TrimLine(line.substr(colon + 1)));
  return size;
}

size_t CurlTransfer::OnBody(char* data, size_t, size_t size, void* user) {
  auto& receiving = *static_cast<Receiving*>(user);
  if (receiving.redirected) return size;
  receiving.status = receiving.sink.body({data, size});
  return receiving.status.ok() ? size : 0;
}

int CurlTransfer::OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Receiving*>(user)->stop.stop_requested() ? 1 : 0;
}

base::Result<std::string> CurlTransfer::Perform(const FetchClient::Options& options, const FetchRequest& request,
                                                const FetchSink& sink, const std::stop_token& stop) {
  curl_easy_reset(curl_);  // keeps the connections
  error_[0] = '\0';
  Receiving receiving{.curl = curl_, .sink = sink, .stop = stop};
  SetConnection(options);
  SetRequest(request);
  curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &OnHeader);
  curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &receiving);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &OnBody);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &receiving);
  curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, &OnProgress);
  curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, &receiving);
  const CURLcode code = curl_easy_perform(curl_);
  if (stop.stop_requested()) return std::unexpected(base::Cancelled("the download was cancelled"));
  if (!receiving.status.ok()) return std::unexpected(std::move(receiving.status));
  if (receiving.enough) return std::string();
  if (code != CURLE_OK) return std::unexpected(ToStatus(code, request));
  if (!receiving.redirected) return std::string();
  char* location = nullptr;
  curl_easy_getinfo(curl_, CURLINFO_REDIRECT_URL, &location);
  if (location == nullptr) {
    return std::unexpected(base::FailedPrecondition(ShownUri(request.url) + ": a redirect to no URL"));
  }
  return std::string(location);
}

void CurlTransfer::SetConnection(const FetchClient::Options& options) {
  curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, error_);
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
  // So that ranges are fetched in parallel
  curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(curl_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(curl_, CURLOPT_TCP_KEEPALIVE, 1L);  // detects a silent transfer's dead peer
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.stall_timeout.count()));
  if (!options.ca_file.empty()) curl_easy_setopt(curl_, CURLOPT_CAINFO, options.ca_file.c_str());
  if (!options.authorities.empty()) SetPem(curl_, CURLOPT_CAINFO_BLOB, options.authorities);
  if (!options.certificate.empty()) {
    SetPem(curl_, CURLOPT_SSLCERT_BLOB, options.certificate);
    SetPem(curl_, CURLOPT_SSLKEY_BLOB, options.private_key.empty() ? options.certificate : options.private_key);
    curl_easy_setopt(curl_, CURLOPT_KEYPASSWD, "");  // refuses a key with a password instead of asking at a terminal
  }
  if (!options.connect_to.empty()) {
    curl_slist_free_all(std::exchange(connect_to_, nullptr));
    connect_to_ = curl_slist_append(nullptr, ("::" + options.connect_to).c_str());
    curl_easy_setopt(curl_, CURLOPT_CONNECT_TO, connect_to_);
  }
  if (!options.verify_peer) {
    curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

void CurlTransfer::SetRequest(const FetchRequest& request) {
  curl_easy_setopt(curl_, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
  if (request.method != "GET") {
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(curl_, CURLOPT_COPYPOSTFIELDS, request.body.data());
  }
  curl_slist_free_all(std::exchange(headers_, nullptr));
  for (const auto& [name, value] : request.headers) {
    // libcurl sends a header without a value if it ends with a semicolon.
    headers_ = curl_slist_append(headers_, (name + (value.empty() ? ";" : ": " + value)).c_str());
  }
  curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  if (request.stall_timeout.has_value()) {
    curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.stall_timeout->count()));
  }
  curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, static_cast<long>(request.time_limit.count()));
  if (request.range.has_value()) {
    std::string range = std::to_string(request.range->begin) + "-";
    if (request.range->end.has_value()) range += std::to_string(*request.range->end - 1);
    curl_easy_setopt(curl_, CURLOPT_RANGE, range.c_str());
  }
  if (request.signing.has_value()) {
    curl_easy_setopt(curl_, CURLOPT_AWS_SIGV4, ("aws:amz:" + request.signing->region + ":s3").c_str());
    curl_easy_setopt(curl_, CURLOPT_USERNAME, request.signing->access_key_id.c_str());
    curl_easy_setopt(curl_, CURLOPT_PASSWORD, request.signing->secret_access_key.c_str());
  }
}

base::Status CurlTransfer::ToStatus(CURLcode code, const FetchRequest& request) const {
  const std::string why = ShownUri(request.url) + ": " + (error_[0] != '\0' ? error_ : curl_easy_strerror(code));
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL: return base::InvalidArgument(why);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE: return base::FailedPrecondition(why);
    default: return base::Unavailable(why);
  }
}

}  // namespace inferd::storage
