#pragma once

#include <filesystem>
#include <memory>

#include <openvino/runtime/core.hpp>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// The files of a model: IR, ONNX, TensorFlow Lite, Paddle, a SavedModel's folder, a frozen graph.
struct ModelFile {
  std::filesystem::path path;  // what the library is given
  bool graph = false;          // a frozen graph of TensorFlow's

  // NOT_FOUND: there is none.
  static base::Result<ModelFile> Find(const inferd_load& load);

  // INVALID_ARGUMENT, in the library's words: it cannot read the model.
  base::Result<std::shared_ptr<ov::Model>> Read(ov::Core& core) const;
};

}  // namespace inferd::openvino
