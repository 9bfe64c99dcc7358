#include "protocols/oip_grpc/codec/typed_contents_writer.h"

#include <cstddef>

#include "data/wire/elements_writer.h"
#include "protocols/oip_grpc/codec/typed_contents_field.h"

namespace inferd::oip_grpc {

void WriteTypedContents(wire::Writer& out, uint32_t number, const core::InferTensor& tensor) {
  const size_t end = out.size();
  wire::WriteElements(out, ContentsField(tensor.datatype), tensor.datatype, tensor.data);
  out.Message(number, end);
}

}  // namespace inferd::oip_grpc
