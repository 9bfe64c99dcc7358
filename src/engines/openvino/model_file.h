#pragma once

#include <filesystem>
#include <memory>

#include <openvino/runtime/core.hpp>

#include "base/status.h"
#include "engines/openvino/ov_signature.h"
#include "inferd/engine_abi.h"

namespace inferd::openvino {

// The files of a model: IR, ONNX, TensorFlow Lite, Paddle, a SavedModel's folder, a frozen graph.
struct ModelFile {
  std::filesystem::path path;  // passed to the library
  bool graph = false;          // a frozen TensorFlow graph
  bool lite = false;           // TensorFlow Lite

  // NOT_FOUND if there is none.
  static base::Result<ModelFile> Find(const inferd_load& load);

  // Returns the file's names for tensors. Reads a TensorFlow Lite file for that.
  FileNames ReadNames() const;

  // INVALID_ARGUMENT, in the library's words, if it cannot read the model.
  base::Result<std::shared_ptr<ov::Model>> Read(ov::Core& core) const;
};

}  // namespace inferd::openvino
