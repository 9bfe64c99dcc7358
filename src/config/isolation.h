#pragma once

namespace inferd::config {

// inferd { isolation }, or --isolation for models without it: the process in which the engine runs. It is the server's,
// one of the version's own, or one that is shared by all versions with this setting and engine.
enum class Isolation { kNone, kProcess, kEngineProcess };

}  // namespace inferd::config
