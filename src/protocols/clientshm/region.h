#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/status.h"
#include "base/system/file_descriptor.h"
#include "protocols/clientshm/guarded_range.h"
#include "protocols/clientshm/region_use.h"

namespace inferd::clientshm {

// A client's registration of a region.
struct RegionSpec {
  std::string name;
  std::string key;  // of the shared memory object, as for shm_open()
  uint64_t offset = 0;
  uint64_t byte_size = 0;

  bool operator==(const RegionSpec&) const = default;
};

// A mapped part of a client's shared memory object. The client may write to it, and make it smaller, at any time.
// Thread-safe. Lives until the last buffer in it is gone.
class Region final {
 public:
  // If `own_only`, objects of users other than the server's are refused. INVALID_ARGUMENT if there is no such object,
  // it is not a regular one, or it is too small. PERMISSION_DENIED if it may not be opened. RESOURCE_EXHAUSTED if the
  // system's limit is reached.
  static base::Result<std::shared_ptr<Region>> Open(const RegionSpec& spec, bool own_only);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const RegionSpec& spec() const { return spec_; }
  // Returns the object's current size.
  uint64_t object_bytes() const;
  // Checks that offset and size are inside the region, and that the object, of `object_bytes`, contains all of it.
  // FAILED_PRECONDITION if the object was made smaller, or its memory was once missing. INVALID_ARGUMENT if they reach
  // beyond the region.
  base::Status Check(uint64_t offset, uint64_t byte_size, uint64_t object_bytes) const;
  std::byte* data() const { return data_; }

  bool in_use() const { return uses_.load(std::memory_order_acquire) > 0; }

 private:
  friend class ObjectUse;

  // Pages of the address space, unmapped at the end.
  class Mapping final {
   public:
    Mapping() = default;
    explicit Mapping(std::span<std::byte> pages) : pages_(pages) {}
    ~Mapping();
    Mapping(Mapping&& other) noexcept : pages_(std::exchange(other.pages_, {})) {}
    Mapping& operator=(Mapping&&) = delete;

    std::span<std::byte> pages() const { return pages_; }

   private:
    std::span<std::byte> pages_;
  };

  // `object_bytes` is the size of the object's part of the mapping.
  Region(RegionSpec spec, base::FileDescriptor object, Mapping mapping, size_t object_bytes);

  const RegionSpec spec_;
  const base::FileDescriptor object_;
  const Mapping mapping_;
  std::byte* const data_;
  const GuardedRange guard_;  // destroyed before the pages can be reused
  std::atomic<int64_t> uses_{0};
};

// One use of it. Making one needs no system call.
class ObjectUse final : public RegionUse, public std::enable_shared_from_this<ObjectUse> {
 public:
  explicit ObjectUse(std::shared_ptr<Region> region);
  ~ObjectUse() override { ObjectUse::End(); }
  ObjectUse(const ObjectUse&) = delete;
  ObjectUse& operator=(const ObjectUse&) = delete;

  const std::string& region_name() const override { return region_->spec().name; }
  base::Result<base::Buffer> Bytes(uint64_t offset, uint64_t byte_size) override;
  base::Status Check() const override;
  void End() override;

 private:
  const std::shared_ptr<Region> region_;
  std::optional<uint64_t> object_bytes_;  // at the first call of Bytes()
  uint64_t end_ = 0;                      // end of the bytes that Bytes() returned
  std::atomic<bool> ended_{false};
};

}  // namespace inferd::clientshm
