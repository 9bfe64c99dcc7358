#include "protocols/tfs_grpc/codec/model_messages.h"

#include <string>

#include "protocols/tfs/dtype.h"
#include "protocols/tfs/model_spec.h"
#include "protocols/tfs/version_status.h"

namespace inferd::tfs_grpc {

namespace {

namespace serving = tensorflow::serving;

tensorflow::TensorInfo InfoOf(const core::TensorSpec& spec) {
  tensorflow::TensorInfo info;
  info.set_name(tfs::GraphName(spec));
  info.set_dtype(static_cast<tensorflow::DataType>(tfs::DtypeOf(spec.datatype)));
  auto& shape = *info.mutable_tensor_shape();
  for (const int64_t dim : spec.shape.dims()) shape.add_dim()->set_size(dim);
  shape.set_unknown_rank(spec.unknown_rank);
  return info;
}

}  // namespace

serving::ModelSpec ModelSpecMessage(std::string_view model, std::string_view version, std::string_view signature) {
  serving::ModelSpec spec;
  spec.set_name(std::string(model));
  spec.mutable_version()->set_value(tfs::VersionNumber(version));
  spec.set_signature_name(std::string(signature));
  return spec;
}

serving::SignatureDefMap SignatureMessage(std::span<const core::ModelSignature* const> signatures) {
  serving::SignatureDefMap map;
  for (const core::ModelSignature* signature : signatures) {
    auto& definition = (*map.mutable_signature_def())[std::string(tfs::SignatureName(*signature))];
    for (const core::TensorSpec& input : signature->inputs) {
      (*definition.mutable_inputs())[input.name] = InfoOf(input);
      if (input.default_value.empty()) continue;
      (*definition.mutable_defaults())[input.name].ParseFromString(input.default_value);
    }
    for (const core::TensorSpec& output : signature->outputs) {
      (*definition.mutable_outputs())[output.name] = InfoOf(output);
    }
    definition.set_method_name(std::string(tfs::MethodName(*signature)));
  }
  return map;
}

serving::GetModelStatusResponse StatusMessage(std::span<const core::IndexEntry> versions) {
  serving::GetModelStatusResponse response;
  for (const core::IndexEntry& entry : versions) {
    const tfs::VersionStatus status = tfs::StatusOf(entry);
    auto& added = *response.add_model_version_status();
    added.set_version(tfs::VersionNumber(entry.version));
    added.set_state(static_cast<serving::ModelVersionStatus::State>(status.state));
    auto& fault = *added.mutable_status();  // it exists even without an error
    if (status.error.ok()) continue;
    fault.set_error_code(static_cast<tensorflow::error::Code>(status.error.code()));
    fault.set_error_message(status.error.message());
  }
  return response;
}

}  // namespace inferd::tfs_grpc
