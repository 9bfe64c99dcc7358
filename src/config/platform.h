#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// One row of the platform table: a name that config.pbtxt may use, and its meaning. It has the seven names of Predict
// V2 ("Platforms"), Triton's further ones, and Triton's backend names. For the files of a platform see
// format/format_table.h.
struct Platform {
  std::string_view name;        // `platform` as written; empty if written as `backend` only
  std::string_view backend;     // Triton's name
  std::string_view engine;      // ours: the file in engines/
  std::string_view predict_v2;  // shown in metadata
  std::string_view triton;      // shown in metadata under --as tritonserver
};

// The platform names that metadata uses.
enum class PlatformNames { kPredictV2, kTriton };

// nullptr if there is no such name. For a backend with several platforms, returns its first row.
const Platform* FindPlatform(std::string_view name);
const Platform* FindBackend(std::string_view backend);

// Returns every `platform` name, for error texts: "tensorrt_plan, ...".
std::string KnownPlatforms();

std::string_view ShownPlatform(const Platform& platform, PlatformNames names);

}  // namespace inferd::config
