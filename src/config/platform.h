#pragma once

#include <string>
#include <string_view>

namespace inferd::config {

// One row of the platform table: a name that config.pbtxt may write, and what it means. The seven names of Predict V2
// ("Platforms"), those that Triton has besides, and Triton's backend names. Which files are a platform's:
// format/format_table.h.
struct Platform {
  std::string_view name;        // `platform` as written; empty: written as `backend` only
  std::string_view backend;     // Triton's name
  std::string_view engine;      // ours: the file under engines/
  std::string_view predict_v2;  // what metadata says
  std::string_view triton;      // what metadata says under --as tritonserver
};

// Whose platform names metadata uses.
enum class PlatformNames { kPredictV2, kTriton };

// nullptr: no such name. For a backend with several platforms, its first row.
const Platform* FindPlatform(std::string_view name);
const Platform* FindBackend(std::string_view backend);

// Every `platform` name, for error texts: "tensorrt_plan, ...".
std::string KnownPlatforms();

std::string_view ShownPlatform(const Platform& platform, PlatformNames names);

}  // namespace inferd::config
