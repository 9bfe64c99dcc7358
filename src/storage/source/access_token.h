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

// The token of an answer of OAuth 2.0 (RFC 6749, 5.1), whose `expires_in` may be a number or a text; an hour without
// it, and a day at most. FAILED_PRECONDITION: it has none; the message begins with `name`, and has nothing of it.
base::Result<AccessToken> ReadAccessToken(const std::string& name, std::string_view json);

// A token that is asked for when one is wanted, and again when half of its life is over. Thread-safe.
class TokenKeeper final {
 public:
  // The text of the token that is kept or, one call at a time, of the one that `ask` brings.
  base::Result<std::string> Get(const std::function<base::Result<AccessToken>()>& ask);

 private:
  base::Mutex mutex_;
  std::string text_ GUARDED_BY(mutex_);
  std::chrono::steady_clock::time_point renew_at_ GUARDED_BY(mutex_);
};

}  // namespace inferd::storage
