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

// What a client says of a region when it registers it.
struct RegionSpec {
  std::string name;
  std::string key;  // of the shared memory object, as shm_open() has it
  uint64_t offset = 0;
  uint64_t byte_size = 0;

  bool operator==(const RegionSpec&) const = default;
};

// A part of a client's shared memory object, mapped. The client may write to it, and make it smaller, at any time.
// Thread-safe. Lives until the last buffer that lies in it is gone.
class Region final {
 public:
  // `own_only`: objects of other users than the server's are refused. INVALID_ARGUMENT: no such object, not a regular
  // one, or it is smaller than that; PERMISSION_DENIED; RESOURCE_EXHAUSTED: the system gives no more.
  static base::Result<std::shared_ptr<Region>> Open(const RegionSpec& spec, bool own_only);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  const RegionSpec& spec() const { return spec_; }
  // Of the object, now.
  uint64_t object_bytes() const;
  // Whether offset and size are within the region, and all of it is in an object of so many bytes. FAILED_PRECONDITION:
  // the object was made smaller, or its memory was missing once. INVALID_ARGUMENT: beyond the region.
  base::Status Check(uint64_t offset, uint64_t byte_size, uint64_t object_bytes) const;
  std::byte* data() const { return data_; }

  bool in_use() const { return uses_.load(std::memory_order_acquire) > 0; }

 private:
  friend class ObjectUse;

  // Pages of an address space, unmapped at the end.
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

  // `object_bytes`: of the mapping's pages, those that are the object's.
  Region(RegionSpec spec, base::FileDescriptor object, Mapping mapping, size_t object_bytes);

  const RegionSpec spec_;
  const base::FileDescriptor object_;
  const Mapping mapping_;
  std::byte* const data_;
  const GuardedRange guard_;  // gone before the pages are another's
  std::atomic<int64_t> uses_{0};
};

// A use of it. Making one asks nothing of the system.
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
  std::optional<uint64_t> object_bytes_;  // when Bytes() was called first
  uint64_t end_ = 0;                      // of what Bytes() gave
  std::atomic<bool> ended_{false};
};

}  // namespace inferd::clientshm
