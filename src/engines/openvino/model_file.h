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
  std::filesystem::path path;  // what the library is given
  bool graph = false;          // a frozen graph of TensorFlow's
  bool lite = false;           // of TensorFlow Lite

  // NOT_FOUND: there is none.
  static base::Result<ModelFile> Find(const inferd_load& load);

  // How it names its tensors. A file of TensorFlow Lite is read for that.
  FileNames ReadNames() const;

  // INVALID_ARGUMENT, in the library's words: it cannot read the model.
  base::Result<std::shared_ptr<ov::Model>> Read(ov::Core& core) const;
};

}  // namespace inferd::openvino
