#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "data/wire/reader.h"
#include "protocols/tfs/model_spec.h"
#include "serving/core/dispatcher.h"

namespace inferd::tfs_grpc {

// What a request says of its model.
struct RequestedModel {
  bool given = false;  // there is a ModelSpec
  tfs::ModelSpec spec{"", "", ""};
  std::string signature;  // empty: tfs::kServingDefault
};

// Reads a tensorflow.serving.ModelSpec on top of what `model` has, as protobuf merges the parts of one field. `in` is
// malformed afterwards if the part is.
void ReadModelSpec(wire::Reader& in, RequestedModel& model);

// Reads the ModelSpec in field `number` of `message`, and no other field. INVALID_ARGUMENT: it is malformed, or the
// message's outermost fields are.
base::Result<RequestedModel> ReadModelSpecOf(std::string_view message, uint32_t number);

// The version that answers; it is in the spec afterwards if a label named it. Errors are tfs::FindModel's and, in
// TensorFlow Serving's words, INVALID_ARGUMENT: no model is named.
base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, RequestedModel& model,
                                                                 tfs::Unready unready = tfs::Unready::kUnavailable);

}  // namespace inferd::tfs_grpc
