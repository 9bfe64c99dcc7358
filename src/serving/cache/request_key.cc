#include "serving/cache/request_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <type_traits>
#include <variant>

#include "serving/core/model_version.h"

namespace inferd::cache {

namespace {

using Head = boost::container::small_vector<char, 1024>;

// Inputs of up to this many bytes are copied behind the head and hashed with it, as hashing in pieces costs more.
constexpr size_t kTogetherBytesMax = 4096;

// Every part is preceded by its length, so that no two requests have the same encoding.
void Put(Head& head, const void* data, size_t size) {
  const char* const bytes = static_cast<const char*>(data);
  head.insert(head.end(), bytes, bytes + size);
}
template <typename Number>
  requires std::is_arithmetic_v<Number>
void PutNumber(Head& head, Number number) {
  Put(head, &number, sizeof number);
}
void PutText(Head& head, std::string_view text) {
  PutNumber(head, static_cast<uint32_t>(text.size()));
  Put(head, text.data(), text.size());
}

void PutValue(Head& head, const core::ParameterValue& value) {
  PutNumber(head, static_cast<uint8_t>(value.index()));
  std::visit(
      [&head](const auto& held) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(held)>, std::string>) {
          PutText(head, held);
        } else {
          PutNumber(head, held);
        }
      },
      value);
}

// Sorted by name, since protocols with maps do not keep the order.
void PutParameters(Head& head, const core::Parameters& parameters) {
  PutNumber(head, static_cast<uint32_t>(parameters.size()));
  boost::container::small_vector<const core::Parameters::value_type*, 8> sorted;
  for (const auto& parameter : parameters) sorted.push_back(&parameter);
  std::ranges::stable_sort(sorted, {}, [](const auto* parameter) -> std::string_view { return parameter->first; });
  for (const auto* parameter : sorted) {
    PutText(head, parameter->first);
    PutValue(head, parameter->second);
  }
}

void PutInput(Head& head, const core::InferTensor& input) {
  PutText(head, input.name);
  PutNumber(head, static_cast<int32_t>(input.datatype));
  PutNumber(head, static_cast<uint32_t>(input.shape.rank()));
  Put(head, input.shape.dims().data(), input.shape.dims().size_bytes());
  PutNumber(head, static_cast<uint64_t>(input.data.size()));
}

}  // namespace

KeySecret::KeySecret() {
  std::random_device random;
  for (size_t i = 0; i < bytes_.size(); i += sizeof(unsigned)) {
    const unsigned drawn = random();
    std::memcpy(bytes_.data() + i, &drawn, sizeof drawn);
  }
}

KeySecret::KeySecret(std::string_view name) {
  XXH3_generateSecret(bytes_.data(), bytes_.size(), name.data(), name.size());
}

KeySecret KeySecret::ThatTellsNothing() {
  KeySecret secret;
  secret.tells_nothing_ = true;
  return secret;
}

RequestKey::RequestKey(std::string_view scope, std::string_view state, const core::QueuedRequest& queued,
                       const KeySecret& secret) {
  const core::InferRequest& request = *queued.request;
  PutText(head_, scope);
  PutText(head_, state);
  boost::container::small_vector<size_t, 4> order;
  for (size_t i = 0; i < request.inputs.size(); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&queued](size_t i) { return queued.layout.inputs[i]; });
  PutNumber(head_, static_cast<uint32_t>(order.size()));
  for (const size_t i : order) {
    const core::InferTensor& input = request.inputs[i];
    PutNumber(head_, static_cast<int32_t>(queued.layout.inputs[i]));
    PutInput(head_, input);
    pieces_.push_back(input.data.view());
    data_bytes_ += input.data.size();
  }
  PutNumber(head_, static_cast<uint32_t>(queued.layout.outputs.size()));
  const auto& outputs = request.signature == 0 ? queued.version->accepted().outputs
                                               : queued.version->signatures()[request.signature]->outputs;
  for (const int output : queued.layout.outputs) PutText(head_, outputs[static_cast<size_t>(output)].name);
  PutParameters(head_, request.parameters);

  XXH128_hash_t hash;
  if (data_bytes_ <= kTogetherBytesMax) {
    const size_t head_bytes = head_.size();
    for (const std::string_view piece : pieces_) Put(head_, piece.data(), piece.size());
    hash = XXH3_128bits_withSecret(head_.data(), head_.size(), secret.bytes_.data(), secret.bytes_.size());
    head_.resize(head_bytes);
  } else {
    XXH3_state_t state_of_hash;
    XXH3_INITSTATE(&state_of_hash);
    XXH3_128bits_reset_withSecret(&state_of_hash, secret.bytes_.data(), secret.bytes_.size());
    XXH3_128bits_update(&state_of_hash, head_.data(), head_.size());
    for (const std::string_view piece : pieces_) XXH3_128bits_update(&state_of_hash, piece.data(), piece.size());
    hash = XXH3_128bits_digest(&state_of_hash);
  }
  if (!secret.tells_nothing_) hash_ = {.low = hash.low64, .high = hash.high64};
}

StoredKey::StoredKey(const RequestKey& key) : hash_(key.hash()), head_bytes_(key.head().size()) {
  const auto aligned = [](size_t offset) {
    return (offset + base::kBufferAlignment - 1) & ~(base::kBufferAlignment - 1);
  };
  size_t end = head_bytes_;
  for (const std::string_view piece : key.pieces_) {
    pieces_.push_back({.offset = aligned(end), .size = piece.size()});
    end = pieces_.back().offset + piece.size();
  }
  memory_ = base::Buffer::Allocate(end);
  std::memcpy(memory_.data(), key.head().data(), head_bytes_);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    if (pieces_[i].size > 0) std::memcpy(memory_.data() + pieces_[i].offset, key.pieces_[i].data(), pieces_[i].size);
  }
}

bool StoredKey::Equals(const RequestKey& key) const {
  if (hash_ != key.hash() || head() != key.head() || pieces_.size() != key.pieces_.size()) return false;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const std::string_view own(reinterpret_cast<const char*>(memory_.data()) + pieces_[i].offset, pieces_[i].size);
    if (own != key.pieces_[i]) return false;
  }
  return true;
}

}  // namespace inferd::cache
