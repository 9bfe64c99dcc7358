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

// The most bytes of a service's answer. A page of a listing has a thousand objects, with keys of at most 1 KiB.
inline constexpr size_t kAnswerBytesMax = 16 << 20;

// Returns the secrets that a request carries, as they are sent and decoded: credentials in its headers, and tokens,
// signatures and assertions among the parameters of its URL and its body. Thread-safe.
std::vector<std::string> SecretsIn(const FetchRequest& request);

// The body of a service's answer. An error's message begins with `name`, and ends with what `explain` finds in the body
// of a refusal; it may find nothing. What it repeats of the request's secrets is masked. Errors are
// FetchClient::Fetch's and StatusOfResponse's; RESOURCE_EXHAUSTED: it is larger.
base::Result<std::string> FetchAnswer(const FetchClient& client, const FetchRequest& request, const std::string& name,
                                      const std::function<std::string(std::string_view body)>& explain,
                                      const std::stop_token& stop);

}  // namespace inferd::storage
