#pragma once

namespace inferd::config {

// inferd { isolation }, and --isolation for models that do not say: whether the engine runs in the server's process, in
// one of the version's own, or in one that all versions share which say so and have that engine.
enum class Isolation { kNone, kProcess, kEngineProcess };

}  // namespace inferd::config
