#include "storage/source/access_token.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "data/json/read.h"

namespace inferd::storage {

namespace {

constexpr int64_t kUsualSeconds = 3600;
constexpr int64_t kSecondsMax = 24 * 3600;

base::Result<int64_t> ReadSeconds(json::Reader& reader) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type == json::ValueType::kNumber) return reader.ReadInt64();
  std::string text;
  INFERD_RETURN_IF_ERROR(json::ReadText(reader, text));
  int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error == std::errc() && end == text.data() + text.size()) return seconds;
  return std::unexpected(reader.Error("no number of seconds"));
}

}  // namespace

base::Result<AccessToken> ReadAccessToken(const std::string& name, std::string_view text) {
  AccessToken token;
  int64_t seconds = kUsualSeconds;
  const base::Status read =
      json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> base::Status {
        if (key == "access_token") return json::ReadText(reader, token.text);
        if (key != "expires_in") return reader.SkipValue();
        INFERD_ASSIGN_OR_RETURN(seconds, ReadSeconds(reader));
        return {};
      });
  token.lifetime = std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kSecondsMax));
  if (read.ok() && !token.text.empty()) return token;
  return std::unexpected(base::FailedPrecondition(name + ": the answer has no token"));
}

base::Result<std::string> TokenKeeper::Get(const std::function<base::Result<AccessToken>()>& ask) {
  const base::MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (text_.empty() || now >= renew_at_) {
    INFERD_ASSIGN_OR_RETURN(AccessToken token, ask());
    text_ = std::move(token.text);
    renew_at_ = now + token.lifetime / 2;
  }
  return text_;
}

}  // namespace inferd::storage
