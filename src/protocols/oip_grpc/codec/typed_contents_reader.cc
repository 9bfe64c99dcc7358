#include "protocols/oip_grpc/codec/typed_contents_reader.h"

#include <cstdint>
#include <string>
#include <utility>

#include "data/wire/elements_reader.h"
#include "protocols/oip_grpc/codec/typed_contents_field.h"

namespace inferd::oip_grpc {

namespace {

using tensor::DataType;

wire::Type ElementTypeOf(uint32_t number) {
  return number <= kContentsFieldMax ? ContentsElementType(number) : wire::Type::kEndGroup;
}

base::Status WrongField(DataType type, uint32_t got) {
  const uint32_t wanted = ContentsField(type);
  std::string text = "expected ";
  text.append(wanted == 0 ? "raw_input_contents" : ContentsFieldName(wanted));
  text.append(" for ").append(tensor::DataTypeName(type));
  if (wanted == 0) text.append(", which has no typed contents");
  text.append(", got ").append(got == 0 ? "contents" : ContentsFieldName(got));
  return base::InvalidArgument(std::move(text));
}

}  // namespace

base::Result<base::Buffer> ReadTypedContents(std::span<const wire::Reader> parts, DataType type) {
  const uint32_t wanted = ContentsField(type);
  wire::Extent extent;
  for (const wire::Reader& part : parts) INFERD_RETURN_IF_ERROR(wire::Measure(part, wanted, ElementTypeOf, extent));
  if (wanted == 0 || extent.wrong_number != 0) return std::unexpected(WrongField(type, extent.wrong_number));
  return wire::ReadElements(parts, wanted, type, extent);
}

}  // namespace inferd::oip_grpc
