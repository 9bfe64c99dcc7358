#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <limits>
#include <utility>

namespace inferd::core {

// Limits the requests in flight of the whole server, over all models and loops, and the bytes of their tensors. One
// version may take at most as much as is free. So a version alone gets half, and stuck versions leave as much free as
// each of them takes ("dynamic threshold": Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998). Stuck
// versions give nothing back, so the tenth one would get almost nothing. Therefore each version may always have a few
// requests while any place is free.
//
// Thread-safe: one cache line shared by all, and one per version. Concurrent callers may be refused the last place.
class InflightLimit final {
 public:
  struct Bounds {
    int64_t requests = 4096;
    int64_t bytes = std::numeric_limits<int64_t>::max();
  };
  // Each version may have this many requests of any size. Versions with more leave the last eighth of the places free
  // for these.
  static constexpr int64_t kOwnRequests = 4;

  explicit InflightLimit(const Bounds& bounds) : bounds_(bounds) {}

  // One version's share of the limit. Outlives its slots.
  class Share {
   public:
    int64_t requests() const { return requests_.load(std::memory_order_relaxed); }
    int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

   private:
    friend class InflightLimit;
    alignas(64) std::atomic<int64_t> requests_{0};
    std::atomic<int64_t> bytes_{0};
  };

  // A place among the requests in flight. The destructor gives it back. Move-only.
  class Slot {
   public:
    Slot() = default;
    ~Slot() { Release(); }
    Slot(Slot&& other) noexcept
        : limit_(std::exchange(other.limit_, nullptr)), share_(other.share_), bytes_(other.bytes_) {}
    Slot& operator=(Slot&& other) noexcept {
      std::swap(limit_, other.limit_);
      std::swap(share_, other.share_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    explicit operator bool() const { return limit_ != nullptr; }
    void Release() {
      if (limit_ != nullptr) std::exchange(limit_, nullptr)->GiveBack(*share_, bytes_);
    }

   private:
    friend class InflightLimit;
    Slot(InflightLimit* limit, Share* share, int64_t bytes) : limit_(limit), share_(share), bytes_(bytes) {}
    InflightLimit* limit_ = nullptr;
    Share* share_ = nullptr;
    int64_t bytes_ = 0;
  };

  enum class Refusal { kNoPlace, kNoPlaceForVersion, kNoMemoryForVersion };

  // Takes a place for a request with `bytes` of tensors, or returns why not. The limit and the share outlive the slot.
  std::expected<Slot, Refusal> Take(Share& share, int64_t bytes) {
    const int64_t others = requests_.fetch_add(1, std::memory_order_relaxed);
    const int64_t own = share.requests_.fetch_add(1, std::memory_order_relaxed);
    const int64_t bytes_after = bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const int64_t own_bytes_after = share.bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    Slot slot(this, &share, bytes);
    if (others >= bounds_.requests) return std::unexpected(Refusal::kNoPlace);
    const int64_t free = bounds_.requests - others;
    if (own >= kOwnRequests && (own >= free || free <= bounds_.requests / 8)) {
      return std::unexpected(Refusal::kNoPlaceForVersion);
    }
    if (own > 0 && own_bytes_after > bounds_.bytes - bytes_after) return std::unexpected(Refusal::kNoMemoryForVersion);
    return slot;
  }

  int64_t count() const { return requests_.load(std::memory_order_relaxed); }
  const Bounds& bounds() const { return bounds_; }
  // Returns the share of the requests that wait for their version to be loaded.
  Share& unloaded() { return unloaded_; }

 private:
  void GiveBack(Share& share, int64_t bytes) {
    share.bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    share.requests_.fetch_sub(1, std::memory_order_relaxed);
    bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    requests_.fetch_sub(1, std::memory_order_relaxed);
  }

  const Bounds bounds_;
  alignas(64) std::atomic<int64_t> requests_{0};
  std::atomic<int64_t> bytes_{0};
  Share unloaded_;
};

}  // namespace inferd::core
