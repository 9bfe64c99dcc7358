#include "protocols/oip_grpc/codec/parameters_reader.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <utility>

namespace inferd::oip_grpc {

namespace {

using wire::Reader;
using wire::Tag;
using wire::Type;

// Reads an inference.InferParameter: the last choice on the wire counts.
base::Status ReadValue(Reader in, std::optional<core::ParameterValue>& value) {
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kVarint): value = in.Varint() != 0; break;
      case Tag(2, Type::kVarint): value = static_cast<int64_t>(in.Varint()); break;
      case Tag(3, Type::kBytes): value = std::string(in.String()); break;
      case Tag(4, Type::kFixed64): value = std::bit_cast<double>(in.Fixed64()); break;
      case Tag(5, Type::kVarint): value = in.Varint(); break;
      default: in.Skip();
    }
  }
  return in.status();
}

}  // namespace

base::Status ParametersReader::ReadEntry(Reader in) {
  if (++entries_ > v2::kParametersMax) {
    return base::InvalidArgument("expected at most " + std::to_string(v2::kParametersMax) + " parameters, got more");
  }
  std::string_view key;
  std::optional<core::ParameterValue> value;
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): key = in.String(); break;
      case Tag(2, Type::kBytes): INFERD_RETURN_IF_ERROR(ReadValue(in.Message(), value)); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) return in.status();
  Set(key, std::move(value));
  return {};
}

void ParametersReader::Set(std::string_view key, std::optional<core::ParameterValue> value) {
  const auto known = std::ranges::find(parameters_, key, &core::Parameters::value_type::first);
  const auto index = static_cast<size_t>(known - parameters_.begin());
  if (known == parameters_.end()) parameters_.emplace_back(key, false);
  without_value_[index] = !value.has_value();
  if (value.has_value()) parameters_[index].second = *std::move(value);
}

base::Status ParametersReader::Finish() const {
  if (without_value_.none()) return {};
  for (size_t i = 0; i < parameters_.size(); ++i) {
    if (!without_value_[i]) continue;
    return base::InvalidArgument("parameter '" + parameters_[i].first +
                                 "': expected bool_param, int64_param, string_param, double_param or uint64_param, got "
                                 "none");
  }
  return {};
}

}  // namespace inferd::oip_grpc
