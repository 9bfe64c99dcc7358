#pragma once

namespace inferd::config {

// inferd { isolation }, and --isolation for models that do not say: whether the engine runs in the server's process or
// in one of its own.
enum class Isolation { kNone, kProcess };

}  // namespace inferd::config
