#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/buffer.h"
#include "serving/core/scheduler.h"

namespace inferd::cache {

// The overhead of a base::Buffer block, besides its bytes.
inline constexpr size_t kBufferBytes = 5 * base::kBufferAlignment;

// The hash under which a key is stored. Without the secret, nobody can construct two keys with the same hash. In
// addition, the whole key of a found entry is compared.
struct KeyHash {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const KeyHash&) const = default;
};
struct KeyHashHasher {
  size_t operator()(const KeyHash& hash) const { return hash.low; }
};

// The secret with which keys are hashed. Immutable.
class KeySecret final {
 public:
  // Makes a random secret for this process.
  KeySecret();
  // Makes a secret that several servers share.
  explicit KeySecret(std::string_view name);
  // Makes a secret with which all keys have the same hash, for tests of the comparison.
  static KeySecret ThatTellsNothing();

 private:
  friend class RequestKey;
  bool tells_nothing_ = false;
  // More than XXH3 asks for.
  alignas(64) std::array<unsigned char, 192> bytes_;
};

class StoredKey;

// Everything in a request that its response depends on, as a view: the load of the version (its "scope"), every input's
// name, type, shape and bytes, the outputs and their order, and its parameters.
//
// It leaves out what changes only when or how a request is answered: its id, priority, timeout, deadline and trace, the
// order of its inputs, the parameters of its tensors (form, place and classification of outputs, which engines do not
// see), and the memory for its outputs.
class RequestKey final {
 public:
  // `queued` must be validated, with readable inputs. It, its inputs and the secret outlive this object.
  RequestKey(std::string_view scope, std::string_view state, const core::QueuedRequest& queued,
             const KeySecret& secret);

  const KeyHash& hash() const { return hash_; }
  size_t bytes() const { return head_.size() + data_bytes_; }
  std::string_view head() const { return {head_.data(), head_.size()}; }

 private:
  friend class StoredKey;

  boost::container::small_vector<char, 1024> head_;             // everything but the inputs' bytes
  boost::container::small_vector<std::string_view, 4> pieces_;  // the inputs' bytes
  size_t data_bytes_ = 0;
  KeyHash hash_;
};

// A copy of a RequestKey in memory of its own. Immutable, thread-safe.
class StoredKey final {
 public:
  // Throws std::bad_alloc.
  explicit StoredKey(const RequestKey& key);

  const KeyHash& hash() const { return hash_; }
  bool Equals(const RequestKey& key) const;
  // Returns the bytes of memory that it uses.
  size_t bytes() const { return sizeof(StoredKey) + kBufferBytes + memory_.size(); }
  // The inputs' bytes, in the order of the signature.
  size_t input_count() const { return pieces_.size(); }
  base::BufferSlice input(size_t i) const { return {memory_, memory_.data() + pieces_[i].offset, pieces_[i].size}; }
  std::string_view head() const { return {reinterpret_cast<const char*>(memory_.data()), head_bytes_}; }

 private:
  struct Piece {
    size_t offset = 0;
    size_t size = 0;
  };

  KeyHash hash_;
  base::Buffer memory_;
  size_t head_bytes_ = 0;
  boost::container::small_vector<Piece, 2> pieces_;
};

}  // namespace inferd::cache
