#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace inferd::agent {

// The memory budget for requests and responses of batches. Loop-bound; must outlive its places.
class BatchRoom final {
 public:
  // The reservation of one request. Its destructor releases it. Move-only.
  class Place final {
   public:
    Place(Place&& other) noexcept : room_(std::exchange(other.room_, nullptr)), bytes_(other.bytes_) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(room_, other.room_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Place() {
      if (room_ == nullptr) return;
      --room_->requests_;
      room_->bytes_ -= bytes_;
    }

   private:
    friend class BatchRoom;
    Place(BatchRoom& room, uint64_t bytes) : room_(&room), bytes_(bytes) {
      ++room.requests_;
      room.bytes_ += bytes;
    }

    BatchRoom* room_;
    uint64_t bytes_;
  };

  BatchRoom(size_t requests_max, uint64_t bytes_max, uint64_t answer_bytes_max)
      : requests_max_(requests_max), bytes_max_(bytes_max), answer_bytes_max_(answer_bytes_max) {}
  BatchRoom(const BatchRoom&) = delete;
  BatchRoom& operator=(const BatchRoom&) = delete;

  // Reserves room for a request with a body of that size. Nullopt if there is none. A body larger than the whole limit
  // is admitted only if no other request is held.
  std::optional<Place> Take(uint64_t bytes) {
    const bool full = requests_ >= requests_max_ || (bytes_ > 0 && bytes > bytes_max_ - std::min(bytes_, bytes_max_));
    if (full) return std::nullopt;
    return Place(*this, bytes);
  }

  // Reserves room for bytes of incomplete responses. Returns false, and reserves nothing, if there is not enough.
  bool TakeAnswer(uint64_t bytes) {
    if (bytes > answer_bytes_max_ - answer_bytes_) return false;
    answer_bytes_ += bytes;
    return true;
  }
  void GiveBackAnswer(uint64_t bytes) { answer_bytes_ -= bytes; }

 private:
  const size_t requests_max_;
  const uint64_t bytes_max_;
  const uint64_t answer_bytes_max_;
  size_t requests_ = 0;
  uint64_t bytes_ = 0;
  uint64_t answer_bytes_ = 0;
};

}  // namespace inferd::agent
