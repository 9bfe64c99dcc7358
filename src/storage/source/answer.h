#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// The maximum size of a service's answer. A page of a listing has a thousand objects, with keys of at most 1 KiB.
inline constexpr size_t kAnswerBytesMax = 16 << 20;

// Returns the secrets of a request, both as sent and decoded: credentials in its headers, and tokens, signatures and
// assertions among the parameters of its URL and its body. Thread-safe.
std::vector<std::string> SecretsIn(const FetchRequest& request);

// Returns the body of a service's answer. An error's message begins with `name`, and ends with the explanation,
// possibly empty, that `explain` finds in the body of a refusal. Secrets of the request are masked in it. Errors are
// FetchClient::Fetch()'s and StatusOfResponse()'s; RESOURCE_EXHAUSTED if the body is too large.
base::Result<std::string> FetchAnswer(const FetchClient& client, const FetchRequest& request, const std::string& name,
                                      const std::function<std::string(std::string_view body)>& explain,
                                      const std::stop_token& stop);

}  // namespace inferd::storage
