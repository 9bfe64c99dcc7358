#include "net/client/http_client.h"

#include <curl/curl.h>

#include <mutex>

#include "base/text/ascii_case.h"
#include "net/client/url.h"

namespace inferd::net {

namespace {

using base::Result;
using base::Status;

// Initializes libcurl, once per process; the first client does it.
void InitCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

using BodySink = std::function<void(std::string_view)>;

struct Receiving {
  CURL* curl;
  const BodySink* sink;  // null if the response holds the body
  ClientResponse response{};
  size_t body_bytes_max = 0;
  bool too_large = false;

  bool succeeded() const {
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status / 100 == 2;
  }
};

size_t OnBody(char* data, size_t, size_t size, void* user) {
  auto& receiving = *static_cast<Receiving*>(user);
  if (receiving.sink != nullptr && receiving.succeeded()) {
    (*receiving.sink)({data, size});
    return size;
  }
  if (size > receiving.body_bytes_max - receiving.response.body.size()) {
    receiving.too_large = true;
    return 0;
  }
  receiving.response.body.append(data, size);
  return size;
}

size_t OnHeader(char* data, size_t, size_t size, void* user) {
  auto& receiving = *static_cast<Receiving*>(user);
  std::string_view line(data, size);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {
    receiving.response.headers.clear();  // drops the headers of a 100 Continue before
    return size;
  }
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  std::string_view value = line.substr(colon + 1);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  receiving.response.headers.emplace_back(line.substr(0, colon), value);
  return size;
}

}  // namespace

class HttpClient::Handle {
 public:
  Handle() : curl_(curl_easy_init()) {}
  ~Handle() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(curl_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  Result<ClientResponse> Perform(const Options& options, const std::string& url, const ClientRequest& request,
                                 const BodySink* sink) {
    if (curl_ == nullptr) return std::unexpected(base::Internal("libcurl does not start"));
    curl_easy_reset(curl_);  // keeps the connection
    error_[0] = '\0';
    Receiving receiving{.curl = curl_, .sink = sink, .body_bytes_max = options.body_bytes_max};
    SetConnection(options);
    if (sink != nullptr) curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, 0L);
    SetRequest(url, request);
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &OnBody);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &receiving);
    curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &OnHeader);
    curl_easy_setopt(curl_, CURLOPT_HEADERDATA, &receiving);
    const CURLcode code = curl_easy_perform(curl_);
    if (receiving.too_large) {
      return std::unexpected(
          base::ResourceExhausted("the response is larger than " + std::to_string(options.body_bytes_max) + " bytes"));
    }
    if (code != CURLE_OK) return std::unexpected(ToStatus(code, url));
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    receiving.response.status = static_cast<int>(status);
    return std::move(receiving.response);
  }

 private:
  void SetConnection(const Options& options) {
    curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, error_);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_PROXY, "");  // a server on this machine is not behind http_proxy
    curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT_MS, static_cast<long>(options.timeout.count()));
    if (!options.unix_socket.empty()) curl_easy_setopt(curl_, CURLOPT_UNIX_SOCKET_PATH, options.unix_socket.c_str());
    if (!options.ca_file.empty()) curl_easy_setopt(curl_, CURLOPT_CAINFO, options.ca_file.c_str());
    if (!options.authorities.empty() && options.ca_file.empty()) {
      curl_blob authorities{.data = const_cast<char*>(options.authorities.data()),
                            .len = options.authorities.size(),
                            .flags = CURL_BLOB_COPY};
      curl_easy_setopt(curl_, CURLOPT_CAINFO_BLOB, &authorities);
    }
    if (!options.certificate_file.empty()) curl_easy_setopt(curl_, CURLOPT_SSLCERT, options.certificate_file.c_str());
    if (!options.key_file.empty()) curl_easy_setopt(curl_, CURLOPT_SSLKEY, options.key_file.c_str());
    if (options.insecure) {
      curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYPEER, 0L);
      curl_easy_setopt(curl_, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    long version = CURL_HTTP_VERSION_1_1;
    if (options.http2 && options.url.starts_with("https://")) {
      version = CURL_HTTP_VERSION_2TLS;
    } else if (options.http2) {
      version = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
      curl_easy_setopt(curl_, CURLOPT_FRESH_CONNECT,
                       1L);  // Debian 12's libcurl fails on such a connection's second request
    }
    curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION, version);
  }

  void SetRequest(const std::string& url, const ClientRequest& request) {
    curl_easy_setopt(curl_, CURLOPT_URL, (url + request.path).c_str());
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_slist_free_all(headers_);
    headers_ = nullptr;
    for (const auto& [name, value] : request.headers) {
      // libcurl sends a header without a value if it ends with a semicolon.
      headers_ = curl_slist_append(headers_, (name + (value.empty() ? ";" : ": " + value)).c_str());
    }
    headers_ = curl_slist_append(headers_, "Expect:");  // never wait for a 100 Continue
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (request.method == "HEAD") {
      curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
    } else if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, request.body.data());
      // Suppresses the default type of forms
      if (!HasContentType(request)) headers_ = curl_slist_append(headers_, "Content-Type:");
    }
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  }

  static bool HasContentType(const ClientRequest& request) {
    for (const auto& header : request.headers) {
      if (base::EqualWithoutCase(header.first, "content-type")) return true;
    }
    return false;
  }

  Status ToStatus(CURLcode code, const std::string& url) const {
    const std::string why = error_[0] != '\0' ? error_ : curl_easy_strerror(code);
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT: return base::DeadlineExceeded(url + ": " + why);
      case CURLE_URL_MALFORMAT: return base::InvalidArgument(url + ": " + why);
      default: return base::Unavailable(url + ": " + why);
    }
  }

  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  char error_[CURL_ERROR_SIZE] = {};
};

std::optional<std::string_view> ClientResponse::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (base::EqualWithoutCase(key, name)) return value;
  }
  return std::nullopt;
}

HttpClient::Options HttpClient::Options::At(const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  Options options;
  const bool is_unix = address.starts_with(kUnix);
  options.url = "http://" + (is_unix ? "localhost" : address);
  if (is_unix) options.unix_socket = address.substr(kUnix.size());
  return options;
}

HttpClient::HttpClient(Options options, std::string url)
    : options_(std::move(options)), url_(std::move(url)), handle_(std::make_unique<Handle>()) {}
HttpClient::~HttpClient() = default;

Result<std::unique_ptr<HttpClient>> HttpClient::Create(Options options) {
  INFERD_ASSIGN_OR_RETURN(const Url url, ParseUrl(options.url));
  InitCurl();
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(options), url.ToString()));
}

Result<ClientResponse> HttpClient::Call(const ClientRequest& request) {
  return handle_->Perform(options_, url_, request, nullptr);
}

Result<ClientResponse> HttpClient::Stream(const ClientRequest& request, const BodySink& on_body) {
  return handle_->Perform(options_, url_, request, &on_body);
}

}  // namespace inferd::net
