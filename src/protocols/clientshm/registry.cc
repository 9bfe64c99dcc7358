#include "protocols/clientshm/registry.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/text/printable.h"

namespace inferd::clientshm {

namespace {

constexpr size_t kNameBytesMax = 1024;
// The prefix of regions that Triton's Python models use among themselves.
constexpr std::string_view kReservedPrefix = "triton_python_backend_shm_region_";

base::Status NotFound(std::string_view what, std::string_view name) {
  return base::NotFound("Unable to find " + std::string(what) + ": " + base::QuotedName(name));
}

// Removes one leading slash, which makes no difference.
std::string_view Bare(std::string_view key) {
  if (key.starts_with('/')) key.remove_prefix(1);
  return key;
}

// Checks for a POSIX name: one path component.
base::Status CheckKey(std::string_view key) {
  const std::string_view name = Bare(key);
  const bool plain = name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
  if (plain && !name.empty() && name != "." && name != ".." && name.size() <= NAME_MAX) return base::OkStatus();
  return base::InvalidArgument("expected a key as '/name', of at most " + std::to_string(NAME_MAX) +
                               " bytes and with no other slash, got " + base::QuotedName(key));
}

}  // namespace

base::Status Registry::CheckName(std::string_view name) const {
  if (!name.empty() && name.size() <= kNameBytesMax) return base::OkStatus();
  return base::InvalidArgument("failed to register shared memory region " + base::QuotedName(name) +
                               ": invalid args: expected a name of 1 to " + std::to_string(kNameBytesMax) + " bytes");
}

base::Status Registry::CheckKey(const RegionSpec& spec) const {
  INFERD_RETURN_IF_ERROR(clientshm::CheckKey(spec.key));
  if (Bare(spec.key).starts_with(kReservedPrefix)) {
    return base::InvalidArgument("cannot register shared memory region " + base::QuotedName(spec.name) + " with key " +
                                 base::QuotedName(spec.key) + " as the key contains the reserved prefix '" +
                                 std::string(kReservedPrefix) + "'");
  }
  if (Bare(spec.key).starts_with(Bare(limits_.key_prefix))) return base::OkStatus();
  return base::PermissionDenied("expected a key that begins with " + base::QuotedName(limits_.key_prefix) + ", got " +
                                base::QuotedName(spec.key) + " (--client-shared-memory-prefix)");
}

base::Status Registry::CheckSize(std::string_view name, uint64_t byte_size) const {
  if (byte_size == 0) {
    return base::InvalidArgument("failed to register shared memory region " + base::QuotedName(name) +
                                 ": invalid args: expected at least 1 byte, got 0");
  }
  if (byte_size <= limits_.region_bytes_max) return base::OkStatus();
  return base::ResourceExhausted(
      "shared memory region " + base::QuotedName(name) + " has " + std::to_string(byte_size) + " bytes; at most " +
      std::to_string(limits_.region_bytes_max) + " are allowed (--client-shared-memory-region-bytes-max)");
}

base::Status Registry::CheckNew(std::string_view name) const {
  if (objects_.Find(name) == nullptr && devices_.Find(name) == nullptr) return base::OkStatus();
  return base::AlreadyExists("shared memory region " + base::QuotedName(name) + " already in manager");
}

base::Status Registry::CheckRoom(uint64_t byte_size) const {
  if (objects_.size() + devices_.size() >= limits_.regions_max) {
    return base::ResourceExhausted("there are as many shared memory regions as there may be, " +
                                   std::to_string(limits_.regions_max) + " (--client-shared-memory-regions-max)");
  }
  const uint64_t taken = objects_.bytes() + devices_.bytes();
  if (byte_size <= limits_.bytes_max - std::min(taken, limits_.bytes_max)) return base::OkStatus();
  return base::ResourceExhausted("the shared memory regions would have " + std::to_string(taken + byte_size) +
                                 " bytes together; at most " + std::to_string(limits_.bytes_max) +
                                 " are allowed (--client-shared-memory-bytes-max)");
}

base::Status Registry::Check(const RegionSpec& spec) const {
  INFERD_RETURN_IF_ERROR(CheckName(spec.name));
  INFERD_RETURN_IF_ERROR(CheckKey(spec));
  // Region::Open() refuses 0 bytes, after it has opened the object.
  return spec.byte_size == 0 ? base::OkStatus() : CheckSize(spec.name, spec.byte_size);
}

base::Status Registry::Check(const DeviceRegionSpec& spec) const {
  INFERD_RETURN_IF_ERROR(CheckName(spec.name));
  return CheckSize(spec.name, spec.byte_size);
}

base::Status Registry::CheckPlace(std::string_view name, uint64_t byte_size) const {
  INFERD_RETURN_IF_ERROR(CheckNew(name));
  return CheckRoom(byte_size);
}

// Checks again after opening the region, since another call may have registered one meanwhile. A region that finds no
// room then is closed after the lock is released.
base::Status Registry::Register(const RegionSpec& spec) {
  {
    const base::MutexLock lock(mutex_);
    INFERD_RETURN_IF_ERROR(CheckNew(spec.name));
    INFERD_RETURN_IF_ERROR(Check(spec));
    INFERD_RETURN_IF_ERROR(CheckRoom(spec.byte_size));
  }
  INFERD_ASSIGN_OR_RETURN(auto region, Region::Open(spec, limits_.own_only));
  const base::MutexLock lock(mutex_);
  INFERD_RETURN_IF_ERROR(CheckPlace(spec.name, spec.byte_size));
  objects_.Add(std::move(region));
  return base::OkStatus();
}

base::Status Registry::RegisterDevice(const DeviceRegionSpec& spec) {
  {
    const base::MutexLock lock(mutex_);
    INFERD_RETURN_IF_ERROR(CheckNew(spec.name));
    INFERD_RETURN_IF_ERROR(Check(spec));
    INFERD_RETURN_IF_ERROR(CheckRoom(spec.byte_size));
  }
  INFERD_ASSIGN_OR_RETURN(auto region, DeviceRegion::Open(spec));
  const base::MutexLock lock(mutex_);
  INFERD_RETURN_IF_ERROR(CheckPlace(spec.name, spec.byte_size));
  devices_.Add(std::move(region));
  return base::OkStatus();
}

base::Status Registry::Unregister(std::string_view name) {
  Objects::Regions unmapped;  // destroyed without the lock
  const base::MutexLock lock(mutex_);
  return objects_.Remove(name, unmapped);
}

base::Status Registry::UnregisterDevice(std::string_view name) {
  Devices::Regions closed;  // closed without the lock
  const base::MutexLock lock(mutex_);
  return devices_.Remove(name, closed);
}

base::Status Registry::UnregisterAll() {
  Objects::Regions unmapped;  // destroyed without the lock
  const base::MutexLock lock(mutex_);
  return objects_.RemoveAll(unmapped);
}

base::Status Registry::UnregisterAllDevices() {
  Devices::Regions closed;  // closed without the lock
  const base::MutexLock lock(mutex_);
  return devices_.RemoveAll(closed);
}

base::Result<RegionSpec> Registry::Find(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  if (const auto found = objects_.Find(name); found != nullptr) return found->spec();
  return std::unexpected(NotFound("system shared memory region", name));
}

base::Result<DeviceRegionSpec> Registry::FindDevice(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  if (const auto found = devices_.Find(name); found != nullptr) return found->spec();
  return std::unexpected(NotFound("cuda shared memory region", name));
}

std::vector<RegionSpec> Registry::All() const {
  const base::MutexLock lock(mutex_);
  return objects_.All();
}

std::vector<DeviceRegionSpec> Registry::AllDevices() const {
  const base::MutexLock lock(mutex_);
  return devices_.All();
}

base::Result<std::shared_ptr<RegionUse>> Registry::Use(std::string_view name) {
  const base::MutexLock lock(mutex_);
  if (auto object = objects_.Find(name); object != nullptr) return std::make_shared<ObjectUse>(std::move(object));
  if (auto device = devices_.Find(name); device != nullptr) return std::make_shared<DeviceUse>(std::move(device));
  return std::unexpected(NotFound("shared memory region", name));
}

}  // namespace inferd::clientshm
