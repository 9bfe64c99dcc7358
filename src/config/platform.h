#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace inferd::config {

// One row of the platform table: a name that config.pbtxt may write, and what it means. The seven names of Predict V2
// ("Platforms"), those that Triton has besides, and Triton's backend names.
struct Platform {
  std::string_view name;              // `platform` as written; empty: written as `backend` only
  std::string_view backend;           // Triton's name
  std::string_view engine;            // ours: the file under engines/
  std::string_view predict_v2;        // what metadata says
  std::string_view triton;            // what metadata says under --as tritonserver
  std::string_view default_filename;  // in a version folder; empty: the engine needs no file
};

// Whose platform names metadata uses.
enum class PlatformNames { kPredictV2, kTriton };

// nullptr: no such name. For a backend with several platforms, its first row.
const Platform* FindPlatform(std::string_view name);
const Platform* FindBackend(std::string_view backend);

// Every `platform` name, for error texts: "tensorrt_plan, ...".
std::string KnownPlatforms();

std::string_view ShownPlatform(const Platform& platform, PlatformNames names);

// A model file found in a version folder, and the platform it speaks for.
struct DetectedModel {
  const Platform* platform = nullptr;
  std::string filename;
};

// Which platform the entries of a version folder (names, no paths) are, in Triton's order: model.savedmodel,
// saved_model.pb and saved_model.pbtxt (TensorFlow Serving's layout, where the version folder is the SavedModel),
// model.graphdef, model.plan, model.onnx, ... Failing that, the only entry with one of these endings, whatever its
// name.
std::optional<DetectedModel> DetectModel(std::span<const std::string> entries);

// By the ending of one file's name.
const Platform* FindPlatformOfFile(std::string_view filename);

}  // namespace inferd::config
