#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "base/device_memory.h"

namespace inferd::enginehost {

// A fake device that does its copies late and in random order: some while others begin, of any queue, and the rest when
// their queue is awaited. For one thread. Lives as long as the process, which registers it.
class LateDevice final : public base::DeviceMemory {
 public:
  LateDevice() { place_ = {.kind = base::MemoryKind::kGpu, .runtime = base::RegisterDeviceMemory(this), .device = 0}; }

  base::MemoryPlace place() const { return place_; }
  size_t under_way() const { return copies_.size(); }
  size_t pinned() const { return pinned_; }      // copies from pinned memory
  size_t pageable() const { return pageable_; }  // copies from other memory of the CPU
  void Seed(uint32_t seed) { dice_.seed(seed); }
  bool OneIn(uint32_t sides) { return dice_() % sides == 0; }
  void FailNext(base::Status status) { failure_ = std::move(status); }  // fails the next Start()
  void FailAwait(base::Status status) { await_failure_ = std::move(status); }

  base::Result<base::Buffer> Allocate(base::MemoryPlace place, size_t size) override {
    base::Buffer bytes = base::Buffer::Allocate(size);
    std::byte* const data = bytes.data();
    return base::Buffer::Wrap(data, size, [bytes = std::move(bytes)] {}, place);
  }
  base::Status Copy(const std::byte* from, base::MemoryPlace, std::byte* to, base::MemoryPlace, size_t size) override {
    std::memcpy(to, from, size);
    return base::OkStatus();
  }
  base::Result<std::unique_ptr<base::CopyQueue>> OpenQueue(uint16_t) override { return std::make_unique<Queue>(*this); }

 private:
  class Queue final : public base::CopyQueue {
   public:
    explicit Queue(LateDevice& device) : device_(device) {}
    base::Status Start(const std::byte* from, base::MemoryPlace place, std::byte* to, base::MemoryPlace,
                       size_t size) override {
      if (place.readable()) ++(place.kind == base::MemoryKind::kCpuPinned ? device_.pinned_ : device_.pageable_);
      device_.copies_.push_back({this, from, to, size});
      while (device_.OneIn(3)) device_.DoAny();
      return std::exchange(device_.failure_, base::OkStatus());
    }
    base::Status Await() override {
      while (device_.OneIn(3)) device_.DoAny();
      std::shuffle(device_.copies_.begin(), device_.copies_.end(), device_.dice_);
      std::erase_if(device_.copies_, [this](const Waiting& copy) { return copy.queue == this && Do(copy); });
      return std::exchange(device_.await_failure_, base::OkStatus());
    }

   private:
    LateDevice& device_;
  };
  struct Waiting {
    const Queue* queue;
    const std::byte* from;
    std::byte* to;
    size_t size;
  };

  static bool Do(const Waiting& copy) {
    std::memcpy(copy.to, copy.from, copy.size);
    return true;
  }
  void DoAny() {
    if (copies_.empty()) return;
    const auto any = copies_.begin() + static_cast<std::ptrdiff_t>(dice_() % copies_.size());
    Do(*any);
    copies_.erase(any);
  }

  base::MemoryPlace place_;
  std::mt19937 dice_;
  std::vector<Waiting> copies_;
  base::Status failure_;
  base::Status await_failure_;
  size_t pinned_ = 0;
  size_t pageable_ = 0;
};

// A source for pools of pinned memory.
inline base::Result<base::Buffer> Pinned(size_t bytes) {
  base::Buffer memory = base::Buffer::Allocate(bytes);
  std::byte* const data = memory.data();
  return base::Buffer::Wrap(data, bytes, [memory = std::move(memory)] {}, {.kind = base::MemoryKind::kCpuPinned});
}

inline LateDevice& TheLateDevice() {
  static auto* const device = new LateDevice();
  return *device;
}

}  // namespace inferd::enginehost
