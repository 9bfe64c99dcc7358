#include "clientshm/registry.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/text/printable.h"

namespace inferd::clientshm {

namespace {

constexpr size_t kNameBytesMax = 1024;
// Of regions that Triton's Python models have among themselves.
constexpr std::string_view kReservedPrefix = "triton_python_backend_shm_region_";

base::Status NotFound(std::string_view what, std::string_view name) {
  return base::NotFound("Unable to find " + std::string(what) + ": " + base::QuotedName(name));
}

// One slash before a name makes no difference.
std::string_view Bare(std::string_view key) {
  if (key.starts_with('/')) key.remove_prefix(1);
  return key;
}

// A name of POSIX: one part of a path.
base::Status CheckKey(std::string_view key) {
  const std::string_view name = Bare(key);
  const bool plain = name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
  if (plain && !name.empty() && name != "." && name != ".." && name.size() <= NAME_MAX) return base::OkStatus();
  return base::InvalidArgument("expected a key as '/name', of at most " + std::to_string(NAME_MAX) +
                               " bytes and with no other slash, got " + base::QuotedName(key));
}

}  // namespace

base::Status Registry::CheckSpec(const RegionSpec& spec) const {
  if (spec.name.empty() || spec.name.size() > kNameBytesMax) {
    return base::InvalidArgument("expected the name of a shared memory region, of at most " +
                                 std::to_string(kNameBytesMax) + " bytes, got " + base::QuotedName(spec.name));
  }
  INFERD_RETURN_IF_ERROR(CheckKey(spec.key));
  if (Bare(spec.key).starts_with(kReservedPrefix)) {
    return base::InvalidArgument("cannot register shared memory region " + base::QuotedName(spec.name) + " with key " +
                                 base::QuotedName(spec.key) + " as the key contains the reserved prefix '" +
                                 std::string(kReservedPrefix) + "'");
  }
  if (!Bare(spec.key).starts_with(Bare(limits_.key_prefix))) {
    return base::PermissionDenied("expected a key that begins with " + base::QuotedName(limits_.key_prefix) + ", got " +
                                  base::QuotedName(spec.key) + " (--client-shared-memory-prefix)");
  }
  if (spec.byte_size == 0) {
    return base::InvalidArgument("failed to register shared memory region " + base::QuotedName(spec.name) +
                                 ": invalid args: expected at least 1 byte, got 0");
  }
  if (spec.byte_size > limits_.region_bytes_max) {
    return base::ResourceExhausted("shared memory region " + base::QuotedName(spec.name) + " has " +
                                   std::to_string(spec.byte_size) + " bytes; at most " +
                                   std::to_string(limits_.region_bytes_max) +
                                   " are allowed (--client-shared-memory-region-bytes-max)");
  }
  return base::OkStatus();
}

base::Status Registry::CheckRoom(const RegionSpec& spec) const {
  if (regions_.contains(spec.name)) {
    return base::AlreadyExists("shared memory region " + base::QuotedName(spec.name) + " already in manager");
  }
  if (regions_.size() >= limits_.regions_max) {
    return base::ResourceExhausted("there are as many shared memory regions as there may be, " +
                                   std::to_string(limits_.regions_max) + " (--client-shared-memory-regions-max)");
  }
  if (spec.byte_size > limits_.bytes_max - std::min(bytes_, limits_.bytes_max)) {
    return base::ResourceExhausted("the shared memory regions would have " + std::to_string(bytes_ + spec.byte_size) +
                                   " bytes together; at most " + std::to_string(limits_.bytes_max) +
                                   " are allowed (--client-shared-memory-bytes-max)");
  }
  return base::OkStatus();
}

base::Status Registry::Register(const RegionSpec& spec) {
  const base::MutexLock lock(mutex_);
  if (regions_.contains(spec.name)) return CheckRoom(spec);
  INFERD_RETURN_IF_ERROR(CheckSpec(spec));
  INFERD_RETURN_IF_ERROR(CheckRoom(spec));
  INFERD_ASSIGN_OR_RETURN(regions_[spec.name], Region::Open(spec, limits_.own_only));
  bytes_ += spec.byte_size;
  return base::OkStatus();
}

base::Status Registry::Unregister(std::string_view name) {
  std::shared_ptr<Region> unmapped;  // without the lock
  const base::MutexLock lock(mutex_);
  const auto found = regions_.find(name);
  if (found == regions_.end()) return base::OkStatus();
  if (found->second->in_use()) {
    return base::FailedPrecondition("Cannot unregister shared memory region " + base::QuotedName(name) +
                                    ", it is currently in use.");
  }
  bytes_ -= found->second->spec().byte_size;
  unmapped = std::move(found->second);
  regions_.erase(found);
  return base::OkStatus();
}

base::Status Registry::UnregisterAll() {
  Regions unmapped;  // without the lock
  std::string kept;
  const base::MutexLock lock(mutex_);
  for (auto it = regions_.begin(); it != regions_.end();) {
    const auto region = it++;
    if (region->second->in_use()) {
      kept += (kept.empty() ? "" : ", ") + base::QuotedName(region->first);
      continue;
    }
    bytes_ -= region->second->spec().byte_size;
    unmapped.insert(regions_.extract(region));
  }
  if (kept.empty()) return base::OkStatus();
  return base::FailedPrecondition("Cannot unregister shared memory regions that are currently in use: " + kept);
}

base::Result<RegionSpec> Registry::Find(std::string_view name) const {
  const base::MutexLock lock(mutex_);
  const auto found = regions_.find(name);
  if (found == regions_.end()) return std::unexpected(NotFound("system shared memory region", name));
  return found->second->spec();
}

std::vector<RegionSpec> Registry::All() const {
  const base::MutexLock lock(mutex_);
  std::vector<RegionSpec> all;
  for (const auto& [name, region] : regions_) all.push_back(region->spec());
  return all;
}

base::Result<std::shared_ptr<RegionUse>> Registry::Use(std::string_view name) {
  const base::MutexLock lock(mutex_);
  const auto found = regions_.find(name);
  if (found == regions_.end()) return std::unexpected(NotFound("shared memory region", name));
  return std::make_shared<RegionUse>(found->second);
}

}  // namespace inferd::clientshm
