#include "cache/redis_store.h"

#include <new>
#include <utility>

#include "base/text/hex.h"
#include "cache/entry_codec.h"

namespace inferd::cache {

namespace {

std::string NameOf(const KeyHash& hash) {
  std::string name = "inferd:";
  for (const uint64_t part : {hash.high, hash.low}) base::AppendHex(name, part, 16);
  return name;
}

std::shared_ptr<const CachedResponse> Decode(std::optional<std::string_view> entry, const StoredKey& key) {
  if (!entry.has_value()) return nullptr;
  try {
    return DecodeEntry(*entry, key);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void RedisStore::Fetch(std::shared_ptr<const StoredKey> key, Fetched done) {
  std::string name = NameOf(key->hash());
  link_.Get(std::move(name), [this, key = std::move(key),
                              done = std::move(done)](std::optional<std::string_view> entry) mutable {
    std::shared_ptr<const CachedResponse> response = Decode(entry, *key);
    // The link's thread has other questions.
    executor_.Post([done = std::move(done), response = std::move(response)]() mutable { done(std::move(response)); });
  });
}

void RedisStore::Insert(std::shared_ptr<const StoredKey> key, std::shared_ptr<const CachedResponse> response) {
  if (!link_.up() || key->bytes() + response->bytes() > kEntryBytesMax) return;
  link_.Set(NameOf(key->hash()), EncodeEntry(*key, *response), ttl_);
}

}  // namespace inferd::cache
