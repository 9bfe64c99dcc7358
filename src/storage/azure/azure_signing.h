#pragma once

#include <chrono>
#include <string>

#include "base/status.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// An account's key, in Base64. A secret.
struct AzureAccountKey {
  std::string account;
  std::string key;
};

// Formats a time for HTTP: "Thu, 26 Nov 2026 03:45:13 GMT".
std::string HttpDate(std::chrono::sys_seconds time);

// Returns the text to sign for a GET request: its headers that begin with "x-ms-", its range and its URL's parameters
// (Azure Storage, "Authorize with Shared Key").
std::string AzureStringToSign(const std::string& account, const FetchRequest& request);

// Adds the header Authorization to a request that has its range and all its other headers. INVALID_ARGUMENT if the key
// is not Base64.
base::Status SignForAzure(const AzureAccountKey& key, FetchRequest& request);

}  // namespace inferd::storage
