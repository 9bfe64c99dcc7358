#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/wire/reader.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/dispatcher.h"

namespace inferd::tfs_grpc {

// The model of a request.
struct RequestedModel {
  bool given = false;  // true if there is a ModelSpec
  tfs::ModelSpec spec{"", "", ""};
  std::string signature;  // tfs::kServingDefault if empty
};

// Reads a tensorflow.serving.ModelSpec into `model`, over its current content, as protobuf merges the parts of one
// field. If the part is malformed, so is `in` afterwards.
void ReadModelSpec(wire::Reader& in, RequestedModel& model);

// Reads only the ModelSpec in field `number` of `message`. INVALID_ARGUMENT if it, or the message's outermost fields,
// are malformed.
base::Result<RequestedModel> ReadModelSpecOf(std::string_view message, uint32_t number);

// Returns the version that answers, and sets it in the spec if a label named it. Errors are tfs::FindModel()'s, and
// INVALID_ARGUMENT, in TensorFlow Serving's words, if no model is named.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, RequestedModel& model,
                                                                 tfs::Unready unready = tfs::Unready::kUnavailable);

}  // namespace inferd::tfs_grpc
