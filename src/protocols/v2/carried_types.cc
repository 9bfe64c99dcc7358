#include "protocols/v2/carried_types.h"

#include <string>

#include "base/text/printable.h"

namespace inferd::v2 {

base::Status CheckCarried(std::string_view tensor, tensor::DataType type) {
  if (tensor::IsPredictV2(type)) return {};
  return base::Unimplemented("tensor " + base::QuotedName(tensor) + " has elements of type " +
                             std::string(tensor::DataTypeName(type)) +
                             ", which this protocol does not have: TensorFlow Serving's gRPC has it");
}

base::Status CheckCarried(const core::InferResponse& response) {
  for (const core::InferTensor& output : response.outputs) {
    INFERD_RETURN_IF_ERROR(CheckCarried(output.name, output.datatype));
  }
  return {};
}

base::Result<core::ModelMetadata> CarriedMetadata(const core::Catalog& catalog, std::string_view model,
                                                  std::string_view version) {
  INFERD_ASSIGN_OR_RETURN(core::ModelMetadata metadata, catalog.Metadata(model, version));
  for (const auto* const tensors : {&metadata.inputs, &metadata.outputs}) {
    for (const core::TensorSpec& spec : *tensors) INFERD_RETURN_IF_ERROR(CheckCarried(spec.name, spec.datatype));
  }
  return metadata;
}

}  // namespace inferd::v2
