#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "serving/cache/cached_response.h"
#include "serving/cache/request_key.h"

namespace inferd::cache {

// A kept response with the whole key of its request, as bytes for a store in another process, of which nothing is
// taken on trust. Pure.

std::string EncodeEntry(const StoredKey& key, const CachedResponse& response);

// Null: it is not of that key, or no entry at all.
std::shared_ptr<const CachedResponse> DecodeEntry(std::string_view entry, const StoredKey& key);

}  // namespace inferd::cache
