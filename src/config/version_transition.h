#pragma once

namespace inferd::config {

// inferd { version_transition }, and --version-transition for models that do not say: whether what is replaced serves
// until what replaces it does, or goes first, so that both are never loaded at once.
enum class VersionTransition { kAvailability, kResource };

}  // namespace inferd::config
