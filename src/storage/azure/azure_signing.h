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

// "Thu, 26 Nov 2026 03:45:13 GMT": a time as HTTP writes it.
std::string HttpDate(std::chrono::sys_seconds time);

// What is signed of a GET request with its headers of names that begin with "x-ms-", its range and the parameters of
// its URL (Azure Storage, "Authorize with Shared Key").
std::string AzureStringToSign(const std::string& account, const FetchRequest& request);

// Adds the header Authorization, for a request that has all its other headers, and its range. INVALID_ARGUMENT: the key
// is no Base64.
base::Status SignForAzure(const AzureAccountKey& key, FetchRequest& request);

}  // namespace inferd::storage
