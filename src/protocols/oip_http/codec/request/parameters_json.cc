#include "protocols/oip_http/codec/request/parameters_json.h"

#include <string>

#include "protocols/v2/parameters.h"

namespace inferd::oip_http {

namespace {

base::Status InOwner(std::string_view owner, const base::Status& status) {
  return owner.empty() ? status : status.WithContext(owner);
}

}  // namespace

base::Result<core::ParameterValue> ReadParameterValue(json::Reader& reader, std::string_view key) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  switch (type) {
    case json::ValueType::kString: {
      INFERD_ASSIGN_OR_RETURN(const std::string_view text, reader.ReadString());
      return std::string(text);
    }
    case json::ValueType::kBool: {
      INFERD_ASSIGN_OR_RETURN(const bool flag, reader.ReadBool());
      return flag;
    }
    case json::ValueType::kNumber: {
      INFERD_ASSIGN_OR_RETURN(const json::Number number, reader.ReadNumber());
      return std::visit([](auto value) { return core::ParameterValue(value); }, number);
    }
    default: {
      const std::string_view got = type == json::ValueType::kObject  ? "an object"
                                   : type == json::ValueType::kArray ? "an array"
                                                                     : "null";
      // Triton's text comes first: nothing may precede it.
      return std::unexpected(base::InvalidArgument(
          "parameter '" + std::string(key) + "' has invalid type. Expected a string, a number or a boolean, got " +
          std::string(got) + " at byte " + std::to_string(reader.offset())));
    }
  }
}

base::Status ParametersReader::Begin() {
  const base::Status status = reader_.BeginObject();
  return status.ok() ? status : InOwner(owner_, status.WithContext("'parameters'"));
}

base::Result<std::optional<ParametersReader::Parameter>> ParametersReader::Next() {
  const auto key = reader_.NextKey();
  if (!key.has_value()) return std::unexpected(InOwner(owner_, key.error()));
  if (!key->has_value()) return std::nullopt;
  if (count_++ == v2::kParametersMax) {
    return std::unexpected(
        InOwner(owner_, reader_.Error("more than " + std::to_string(v2::kParametersMax) + " parameters")));
  }
  auto value = ReadParameterValue(reader_, **key);
  if (!value.has_value()) return std::unexpected(InOwner(owner_, value.error()));
  return Parameter{**key, *std::move(value)};
}

base::Result<core::Parameters> ReadParameters(json::Reader& reader, std::string_view owner) {
  core::Parameters parameters;
  ParametersReader object(reader, owner);
  INFERD_RETURN_IF_ERROR(object.Begin());
  for (;;) {
    INFERD_ASSIGN_OR_RETURN(auto parameter, object.Next());
    if (!parameter) return parameters;
    parameters.emplace_back(parameter->name, std::move(parameter->value));
  }
}

void WriteParameterValue(json::Writer& writer, const core::ParameterValue& value) {
  struct ValueWriter {
    json::Writer& writer;
    void operator()(bool flag) const { writer.Bool(flag); }
    void operator()(int64_t number) const { writer.Int(number); }
    void operator()(uint64_t number) const { writer.Uint(number); }
    void operator()(double number) const { writer.Double(number); }
    void operator()(const std::string& text) const { writer.String(text); }
  };
  std::visit(ValueWriter{writer}, value);
}

void WriteParameters(json::Writer& writer, const core::Parameters& parameters) {
  writer.BeginObject();
  for (const auto& [name, value] : parameters) {
    writer.Key(name);
    WriteParameterValue(writer, value);
  }
  writer.EndObject();
}

}  // namespace inferd::oip_http
