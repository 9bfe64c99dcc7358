#include "kserve/apiserver/openapi/protobuf.h"

#include <array>
#include <string_view>
#include <utility>

#include "data/manifest/print.h"
#include "data/manifest/value_path.h"
#include "data/wire/append.h"

// Each function returns a message. The field numbers are those of gnostic's OpenAPIv2.proto.

namespace inferd::apiserver {

namespace {

using manifest::Member;
using manifest::Value;
using wire::AppendBytes;

// Returns a message with a name and a value: NamedSchema, NamedAny, NamedPathItem.
std::string NamedMessage(std::string_view name, const std::string& value) {
  std::string message;
  AppendBytes(1, name, &message);
  AppendBytes(2, value, &message);
  return message;
}

void AppendTextOf(uint32_t number, const Value& value, std::string_view key, std::string* message) {
  if (const std::string text = TextAt(value, {key}); !text.empty()) AppendBytes(number, text, message);
}

// Appends the members that begin with "x-", each as a NamedAny of YAML.
void AppendExtensions(uint32_t number, const Value& value, std::string* message) {
  constexpr uint32_t kYaml = 2;
  for (const Member& member : value.members()) {
    if (!member.key.starts_with("x-")) continue;
    std::string any;
    AppendBytes(kYaml, manifest::ToYaml(member.value), &any);
    AppendBytes(number, NamedMessage(member.key, any), message);
  }
}

std::string SchemaMessage(const Value& schema);

std::string SchemasMessage(const Value& map) {
  std::string message;
  for (const Member& member : map.members())
    AppendBytes(1, NamedMessage(member.key, SchemaMessage(member.value)), &message);
  return message;
}

std::string InMessage(const std::string& value) {
  std::string message;
  AppendBytes(1, value, &message);
  return message;
}

std::string SchemaMessage(const Value& schema) {
  constexpr uint32_t kReference = 1, kFormat = 2, kDescription = 4, kAdditionalProperties = 21, kType = 22, kItems = 23,
                     kProperties = 25, kExtension = 31;
  std::string message;
  AppendTextOf(kReference, schema, "$ref", &message);
  AppendTextOf(kFormat, schema, "format", &message);
  AppendTextOf(kDescription, schema, "description", &message);
  if (const Value* const more = schema.Find("additionalProperties"); more != nullptr) {
    AppendBytes(kAdditionalProperties, InMessage(SchemaMessage(*more)), &message);
  }
  if (const std::string type = TextAt(schema, {"type"}); !type.empty()) AppendBytes(kType, InMessage(type), &message);
  if (const Value* const items = schema.Find("items"); items != nullptr) {
    AppendBytes(kItems, InMessage(SchemaMessage(*items)), &message);
  }
  if (const Value* const properties = schema.Find("properties"); properties != nullptr) {
    AppendBytes(kProperties, SchemasMessage(*properties), &message);
  }
  AppendExtensions(kExtension, schema, &message);
  return message;
}

// Returns a ParametersItem for a query parameter.
std::string ParameterMessage(const Value& parameter) {
  constexpr uint32_t kIn = 2, kDescription = 3, kName = 4, kType = 6, kQuery = 3, kNonBody = 2, kParameter = 1;
  std::string message;
  AppendTextOf(kIn, parameter, "in", &message);
  AppendTextOf(kDescription, parameter, "description", &message);
  AppendTextOf(kName, parameter, "name", &message);
  AppendTextOf(kType, parameter, "type", &message);
  for (const uint32_t number : {kQuery, kNonBody, kParameter}) {
    std::string outer;
    AppendBytes(number, message, &outer);
    message = std::move(outer);
  }
  return message;
}

std::string OperationMessage(const Value& operation) {
  constexpr uint32_t kParameters = 8, kExtension = 13;
  std::string message;
  if (const Value* const parameters = operation.Find("parameters"); parameters != nullptr) {
    for (const Value& parameter : parameters->items()) {
      AppendBytes(kParameters, ParameterMessage(parameter), &message);
    }
  }
  AppendExtensions(kExtension, operation, &message);
  return message;
}

std::string PathItemMessage(const Value& item) {
  constexpr std::array<std::pair<std::string_view, uint32_t>, 5> kOperations = {
      {{"get", 2}, {"put", 3}, {"post", 4}, {"delete", 5}, {"patch", 8}}};
  std::string message;
  for (const auto& [name, number] : kOperations) {
    const Value* const operation = item.Find(name);
    if (operation != nullptr) AppendBytes(number, OperationMessage(*operation), &message);
  }
  return message;
}

}  // namespace

std::string OpenApiProtobuf(const Value& document) {
  constexpr uint32_t kSwagger = 1, kInfo = 2, kPaths = 8, kDefinitions = 9, kPathsPath = 2;
  std::string info;
  AppendBytes(1, TextAt(document, {"info", "title"}), &info);
  AppendBytes(2, TextAt(document, {"info", "version"}), &info);
  std::string paths;
  if (const Value* const items = document.Find("paths"); items != nullptr) {
    for (const Member& item : items->members())
      AppendBytes(kPathsPath, NamedMessage(item.key, PathItemMessage(item.value)), &paths);
  }
  std::string message;
  AppendTextOf(kSwagger, document, "swagger", &message);
  AppendBytes(kInfo, info, &message);
  AppendBytes(kPaths, paths, &message);
  if (const Value* const definitions = document.Find("definitions"); definitions != nullptr) {
    AppendBytes(kDefinitions, SchemasMessage(*definitions), &message);
  }
  return message;
}

}  // namespace inferd::apiserver
