#pragma once

namespace inferd::config {

// inferd { version_transition }, or --version-transition for models without it: whether a replaced version serves until
// its replacement does, or is unloaded first, so that both are never loaded at once.
enum class VersionTransition { kAvailability, kResource };

}  // namespace inferd::config
