#include "protocols/oip_grpc/codec/parameters_writer.h"

#include <bit>
#include <string>
#include <variant>

namespace inferd::oip_grpc {

namespace {

// Writes the choices of inference.InferParameter.
void WriteValue(wire::Writer& out, const core::ParameterValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    out.Varint(1, *flag);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    out.Varint(2, static_cast<uint64_t>(*integer));
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    out.String(3, *text);
  } else if (const auto* real = std::get_if<double>(&value)) {
    out.Fixed64(4, std::bit_cast<uint64_t>(*real));
  } else {
    out.Varint(5, std::get<uint64_t>(value));
  }
}

}  // namespace

void WriteParameters(wire::Writer& out, uint32_t number, const core::Parameters& parameters) {
  for (auto it = parameters.rbegin(); it != parameters.rend(); ++it) {
    const size_t entry_end = out.size();
    WriteValue(out, it->second);
    out.Message(2, entry_end);
    out.String(1, it->first);
    out.Message(number, entry_end);
  }
}

size_t ParametersSizeMax(const core::Parameters& parameters) {
  constexpr size_t kTagsLengthsAndNumber = 32;
  size_t bytes = 0;
  for (const auto& [name, value] : parameters) {
    const auto* text = std::get_if<std::string>(&value);
    bytes += kTagsLengthsAndNumber + name.size() + (text == nullptr ? 0 : text->size());
  }
  return bytes;
}

}  // namespace inferd::oip_grpc
