#include "protocols/tfs_http/codec/feature_reader.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/text/base64.h"
#include "data/tensorjson/nested_parser.h"

namespace inferd::tfs_http {

namespace {

using base::InvalidArgument;
using tensorjson::ValueRules;
using tfs::Feature;
using Kind = tfs::Feature::Kind;

base::Status UnexpectedType(std::string_view feature, std::string_view type) {
  return InvalidArgument("Feature: " + std::string(feature) +
                         " has element with unexpected JSON type: " + std::string(type));
}

base::Status Take(Feature& feature, Kind next, std::string_view name) {
  if (feature.kind == Kind::kNone) feature.kind = next;
  if (feature.kind == next) return {};
  return InvalidArgument("Unexpected element type in feature: " + std::string(name) +
                         " expecting type: " + std::string(tfs::KindName(feature.kind)));
}

// As in TensorFlow Serving, where features have no doubles.
double ToFloat(double value) {
  constexpr double kMax = std::numeric_limits<float>::max();
  return std::abs(value) > kMax ? std::copysign(std::numeric_limits<double>::infinity(), value) : value;
}

base::Status ReadNumber(Feature& feature, json::Reader& reader, std::string_view name, ValueRules rules) {
  INFERD_ASSIGN_OR_RETURN(const json::Number number, reader.ReadNumber());
  if (std::holds_alternative<uint64_t>(number)) {
    return InvalidArgument("Feature: " + std::string(name) + " has uint64_t element. Only int64_t is supported.");
  }
  if (const auto* integer = std::get_if<int64_t>(&number)) {
    INFERD_RETURN_IF_ERROR(Take(feature, Kind::kInt64, name));
    feature.integers.push_back(*integer);
    return {};
  }
  INFERD_RETURN_IF_ERROR(Take(feature, Kind::kFloat, name));
  const double real = std::get<double>(number);
  feature.reals.push_back(rules == ValueRules::kLenient ? ToFloat(real) : real);
  return {};
}

base::Status ReadBase64(Feature& feature, json::Reader& reader, std::string_view name, ValueRules rules) {
  if (!tensorjson::StartsWithBase64(reader.Rest())) return UnexpectedType(name, "Object");
  INFERD_RETURN_IF_ERROR(Take(feature, Kind::kBytes, name));
  INFERD_RETURN_IF_ERROR(reader.BeginObject());
  INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const auto key, reader.NextKey());
  INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
  std::string bytes(text);
  const auto decode = rules == ValueRules::kLenient ? base::DecodeLenientBase64 : base::DecodeBase64;
  const std::optional<size_t> size = decode(bytes, bytes.data());
  if (!size) return InvalidArgument("Unable to base64 decode");
  bytes.resize(*size);
  feature.texts.push_back(std::move(bytes));
  INFERD_ASSIGN_OR_RETURN([[maybe_unused]] const auto end, reader.NextKey());
  return {};
}

base::Status ReadValue(Feature& feature, json::Reader& reader, std::string_view name, ValueRules rules) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  switch (type) {
    case json::ValueType::kNull: return UnexpectedType(name, "Null");
    case json::ValueType::kArray: return UnexpectedType(name, "Array");
    case json::ValueType::kObject: return ReadBase64(feature, reader, name, rules);
    case json::ValueType::kNumber: return ReadNumber(feature, reader, name, rules);
    case json::ValueType::kBool: {
      INFERD_RETURN_IF_ERROR(Take(feature, Kind::kInt64, name));
      INFERD_ASSIGN_OR_RETURN(const bool value, reader.ReadBool());
      feature.integers.push_back(value ? 1 : 0);
      return {};
    }
    case json::ValueType::kString: {
      INFERD_RETURN_IF_ERROR(Take(feature, Kind::kBytes, name));
      INFERD_ASSIGN_OR_RETURN(const std::string_view value, reader.ReadString());
      feature.texts.emplace_back(value);
      return {};
    }
  }
  std::unreachable();
}

}  // namespace

base::Status ReadFeature(json::Reader& reader, std::string_view name, ValueRules rules, Feature& feature) {
  feature.clear();
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  if (type != json::ValueType::kArray) return ReadValue(feature, reader, name, rules);
  INFERD_RETURN_IF_ERROR(reader.BeginArray());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(const bool more, reader.NextElement());
    if (!more) return {};
    INFERD_RETURN_IF_ERROR(ReadValue(feature, reader, name, rules));
  }
}

}  // namespace inferd::tfs_http
