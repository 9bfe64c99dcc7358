#include "protocols/clientshm/region.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text/printable.h"

namespace inferd::clientshm {

namespace {

constexpr uint64_t kPageBytes = 4096;

// Returns the error for an impossible request, in the words that Triton's clients look for.
base::Status InvalidRegion(const RegionSpec& spec, const std::string& why) {
  return base::InvalidArgument("failed to register shared memory region " + base::QuotedName(spec.name) +
                               ": invalid args: " + why);
}

base::Status CheckSize(const RegionSpec& spec, const struct stat& object) {
  // Checked after the object was opened: as in Triton, a key without an object is reported first.
  if (spec.byte_size == 0) return InvalidRegion(spec, "expected at least 1 byte, got 0");
  const auto size = static_cast<uint64_t>(object.st_size);
  if (spec.offset <= size && spec.byte_size <= size - spec.offset) return base::OkStatus();
  return InvalidRegion(spec, "expected at most the " + std::to_string(size) + " bytes of " +
                                 base::QuotedName(spec.key) + ", got " + std::to_string(spec.byte_size) +
                                 " from byte " + std::to_string(spec.offset) + " on");
}

base::Status CheckObject(const RegionSpec& spec, const struct stat& object, bool own_only) {
  if (!S_ISREG(object.st_mode)) return InvalidRegion(spec, base::QuotedName(spec.key) + " is no memory");
  if (own_only && object.st_uid != geteuid()) {
    return base::PermissionDenied("shared memory object " + base::QuotedName(spec.key) +
                                  " is another user's than the server's (--client-shared-memory-owner)");
  }
  return CheckSize(spec, object);
}

base::Status NotMapped(const RegionSpec& spec) {
  return base::ResourceExhausted("Unable to map shared memory region: " + base::QuotedName(spec.name) + ": " +
                                 std::strerror(errno));
}

}  // namespace

base::Result<std::shared_ptr<Region>> Region::Open(const RegionSpec& spec, bool own_only) {
  base::FileDescriptor object(shm_open(spec.key.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0));
  if (!object) {
    const std::string text =
        "Unable to open shared memory region: " + base::QuotedName(spec.key) + ": " + std::strerror(errno);
    return std::unexpected(errno == EACCES                      ? base::PermissionDenied(text)
                           : errno == EMFILE || errno == ENFILE ? base::ResourceExhausted(text)
                                                                : base::InvalidArgument(text));
  }
  struct stat status = {};
  if (fstat(object.get(), &status) != 0) return std::unexpected(base::Internal(std::strerror(errno)));
  INFERD_RETURN_IF_ERROR(CheckObject(spec, status, own_only));
  const uint64_t skipped = spec.offset % kPageBytes;
  const uint64_t bytes = (skipped + spec.byte_size + kPageBytes - 1) / kPageBytes * kPageBytes;
  // One more page after the object's, since engines may read a little past a tensor's end.
  const size_t room = bytes + kPageBytes;
  void* const begin = mmap(nullptr, room, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return std::unexpected(NotMapped(spec));
  Mapping mapping({static_cast<std::byte*>(begin), room});
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, object.get(),
           static_cast<off_t>(spec.offset - skipped)) == MAP_FAILED) {
    return std::unexpected(NotMapped(spec));
  }
  std::shared_ptr<Region> region(new Region(spec, std::move(object), std::move(mapping), bytes));
  if (!region->guard_.guarded()) return std::unexpected(base::ResourceExhausted("too many shared memory regions"));
  return region;
}

Region::Mapping::~Mapping() {
  if (!pages_.empty()) munmap(pages_.data(), pages_.size());
}

Region::Region(RegionSpec spec, base::FileDescriptor object, Mapping mapping, size_t object_bytes)
    : spec_(std::move(spec)),
      object_(std::move(object)),
      mapping_(std::move(mapping)),
      data_(mapping_.pages().data() + spec_.offset % kPageBytes),
      guard_(mapping_.pages().first(object_bytes)) {}

uint64_t Region::object_bytes() const {
  struct stat object = {};
  return fstat(object_.get(), &object) == 0 ? static_cast<uint64_t>(object.st_size) : 0;
}

base::Status Region::Check(uint64_t offset, uint64_t byte_size, uint64_t object_bytes) const {
  const bool inside = offset < spec_.byte_size && byte_size <= spec_.byte_size - offset;
  if (inside && !guard_.broken() && spec_.offset + offset + byte_size <= object_bytes) return base::OkStatus();
  INFERD_RETURN_IF_ERROR(CheckInside(spec_.name, spec_.byte_size, offset, byte_size));
  const std::string quoted = base::QuotedName(spec_.name);
  if (guard_.broken()) {
    return base::FailedPrecondition("shared memory region " + quoted +
                                    " lost its memory while it was in use: its object was made smaller, or the system "
                                    "has no memory for it; unregister it");
  }
  return base::FailedPrecondition("the object of shared memory region " + quoted + " was made smaller: it has " +
                                  std::to_string(object_bytes) + " bytes");
}

ObjectUse::ObjectUse(std::shared_ptr<Region> region) : region_(std::move(region)) {
  region_->uses_.fetch_add(1, std::memory_order_relaxed);
}

base::Result<base::Buffer> ObjectUse::Bytes(uint64_t offset, uint64_t byte_size) {
  INFERD_RETURN_IF_ERROR(CheckInside(region_->spec().name, region_->spec().byte_size, offset, byte_size));
  if (!object_bytes_.has_value()) object_bytes_ = region_->object_bytes();
  INFERD_RETURN_IF_ERROR(region_->Check(offset, byte_size, *object_bytes_));
  end_ = std::max(end_, offset + byte_size);
  return base::Buffer::Wrap(region_->data() + offset, byte_size, [use = shared_from_this()] {});
}

base::Status ObjectUse::Check() const {
  return end_ == 0 ? base::OkStatus() : region_->Check(0, end_, region_->object_bytes());
}

void ObjectUse::End() {
  if (!ended_.exchange(true, std::memory_order_relaxed)) region_->uses_.fetch_sub(1, std::memory_order_release);
}

}  // namespace inferd::clientshm
