#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/mutex.h"
#include "base/status.h"

namespace inferd::storage {

struct AccessToken {
  std::string text;  // a secret
  std::chrono::seconds lifetime{0};
};

// Parses the token of an OAuth 2.0 answer (RFC 6749, 5.1). Its `expires_in` may be a number or a text; the lifetime is
// an hour without it, and a day at most. FAILED_PRECONDITION if it has no token; the message begins with `name` and
// contains nothing of the answer.
base::Result<AccessToken> ReadAccessToken(const std::string& name, std::string_view json);

// Keeps a token: requests it on first use, and again when half of its lifetime is over. Thread-safe.
class TokenKeeper final {
 public:
  // Returns the text of the kept token, or of the new one that `ask` returns. `ask` is called once at a time.
  base::Result<std::string> Get(const std::function<base::Result<AccessToken>()>& ask);

 private:
  base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point renew_at_ GUARDED_BY(mutex_);
};

}  // namespace inferd::storage
