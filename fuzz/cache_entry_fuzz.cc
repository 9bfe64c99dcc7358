// Fuzzes the entries that a Redis may return for a cached response. Input: the entry after the key, which is correct.
// Every accepted entry must have tensors whose bytes fit their shapes, and must be written again as the same bytes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/tensor/raw.h"
#include "fuzz/require.h"
#include "serving/cache/cache_fixture.h"
#include "serving/cache/entry_codec.h"

namespace inferd::fuzz {
namespace {

class Entries final {
 public:
  Entries() {
    core::QueuedRequest queued = model_.Queue(cache::CachedModel::Request("ab"), [](core::InferResponse&&) {});
    key_ = std::make_unique<cache::StoredKey>(cache::RequestKey("scope", "", queued, secret_));
    queued.Fail(base::Cancelled("done"));
    const std::string empty = cache::EncodeEntry(*key_, *cache::CachedResponse::CopyOf({}));
    start_ = empty.substr(0, empty.size() - 2 * sizeof(uint64_t));  // the counts of parameters and of outputs
  }

  void Check(std::string_view rest) const {
    const auto response = cache::DecodeEntry(start_ + std::string(rest), *key_);
    if (response == nullptr) return;
    for (const core::InferTensor& output : response->outputs()) {
      const base::Status status = tensor::CheckRaw(output.datatype, output.shape, output.data.bytes());
      Require(status.ok(), "a tensor is not as its shape says");
    }
    const std::string again = cache::EncodeEntry(*key_, *response);
    const auto second = cache::DecodeEntry(again, *key_);
    Require(second != nullptr, "what was read is not read again");
    Require(cache::EncodeEntry(*key_, *second) == again, "it is read as something else");
  }

 private:
  const base::FakeClock clock_;
  const cache::KeySecret secret_;
  cache::LocalStore store_{{.bytes_max = 1}, clock_};
  const cache::CachedModel model_{store_, secret_, clock_, [](core::QueuedRequest&&) {}};
  std::unique_ptr<cache::StoredKey> key_;
  std::string start_;
};

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const inferd::fuzz::Entries entries;
  const std::vector<char> copy(data, data + size);
  entries.Check({copy.data(), copy.size()});
  return 0;
}
