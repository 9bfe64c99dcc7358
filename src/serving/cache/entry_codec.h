#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serving/cache/cached_response.h"
#include "serving/cache/request_key.h"

namespace inferd::cache {

// Encodes a response with the whole key of its request, for a store in another process. Decoding trusts no byte of it.
// Pure functions.

std::string EncodeEntry(const StoredKey& key, const CachedResponse& response);

// Returns the response. Null if the entry has another key, or is not valid.
std::shared_ptr<const CachedResponse> DecodeEntry(std::string_view entry, const StoredKey& key);

}  // namespace inferd::cache
