#pragma once

#include <curl/curl.h>

#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// One libcurl handle: one request at a time, over connections that it keeps. Not thread-safe.
class CurlTransfer final {
 public:
  CurlTransfer();
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // Returns a redirect's target, or "" if it was not a redirect and the sink got everything. Errors are
  // FetchClient::Fetch()'s.
  base::Result<std::string> Perform(const FetchClient::Options& options, const FetchRequest& request,
                                    const FetchSink& sink, const std::stop_token& stop);

 private:
  struct Receiving;
  static size_t OnHeader(char* data, size_t, size_t size, void* user);
  static size_t OnBody(char* data, size_t, size_t size, void* user);
  static int OnProgress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  void SetConnection(const FetchClient::Options& options);
  void SetRequest(const FetchRequest& request);
  base::Status ToStatus(CURLcode code, const FetchRequest& request) const;

  CURL* const curl_;
  curl_slist* headers_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  char error_[CURL_ERROR_SIZE] = {};
};

}  // namespace inferd::storage
