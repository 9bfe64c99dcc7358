#include "kserve/apiserver/openapi/custom_resource.h"

#include <string>
#include <utility>
#include <vector>

#include "data/manifest/value_path.h"
#include "kserve/model/schema/definition.h"

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;
using model::Definition;
using model::FieldShape;
using model::FieldType;

struct PrinterColumn {
  std::string_view name;
  std::string_view type;
  std::string_view path;  // in Kubernetes' JSONPath
};

constexpr PrinterColumn kAge = {.name = "Age", .type = "date", .path = ".metadata.creationTimestamp"};
constexpr PrinterColumn kUrl = {.name = "URL", .type = "string", .path = ".status.url"};
constexpr PrinterColumn kReady = {
    .name = "Ready", .type = "string", .path = ".status.conditions[?(@.type=='Ready')].status"};

// Returns KServe 0.10's columns.
std::vector<PrinterColumn> PrinterColumnsOf(std::string_view kind) {
  if (kind == "InferenceService") {
    return {kUrl,
            kReady,
            {"Prev", "integer", ".status.components.predictor.traffic[?(@.tag=='prev')].percent"},
            {"Latest", "integer", ".status.components.predictor.traffic[?(@.latestRevision==true)].percent"},
            {"PrevRolledoutRevision", "string", ".status.components.predictor.traffic[?(@.tag=='prev')].revisionName"},
            {"LatestReadyRevision", "string",
             ".status.components.predictor.traffic[?(@.latestRevision==true)].revisionName"},
            kAge};
  }
  if (kind == "ServingRuntime" || kind == "ClusterServingRuntime") {
    return {{"Disabled", "boolean", ".spec.disabled"},
            {"ModelType", "string", ".spec.supportedModelFormats[*].name"},
            {"Containers", "string", ".spec.containers[*].name"},
            kAge};
  }
  return {kUrl, kReady, kAge};
}

Value Typed(std::string_view type) { return Value::Map({{"type", Text(type)}}); }

Value Anything() { return Value::Map({{"x-kubernetes-preserve-unknown-fields", Value::Bool(true)}}); }

Value StructuralSchema(const Definition& definition);

Value StructuralSchemaOfOne(const model::Field& field) {
  switch (field.type) {
    case FieldType::kText: return Typed("string");
    case FieldType::kInteger: return Value::Map({{"type", Text("integer")}, {"format", Text("int64")}});
    case FieldType::kBoolean: return Typed("boolean");
    case FieldType::kObject: return StructuralSchema(*field.object);
    case FieldType::kAny: break;
  }
  return Anything();
}

Value StructuralSchema(const Definition& definition) {
  Value properties = Value::Map();
  for (const model::Field& field : definition.fields) {
    Value schema = StructuralSchemaOfOne(field);
    if (field.shape == FieldShape::kList) {
      schema = Value::Map({{"type", Text("array")}, {"items", std::move(schema)}});
    } else if (field.shape == FieldShape::kMap) {
      schema = Value::Map({{"type", Text("object")}, {"additionalProperties", std::move(schema)}});
    }
    properties.Set(field.name, std::move(schema));
  }
  Value schema = Typed("object");
  schema.Set("properties", std::move(properties));
  return schema;
}

Value CustomNames(const ResourceType& type) {
  Value names = Value::Map({{"kind", Text(type.kind)},
                            {"listKind", Text(std::string(type.kind) + "List")},
                            {"plural", Text(type.plural)},
                            {"singular", Text(type.singular)}});
  std::vector<Value> short_names;
  short_names.reserve(type.short_names.size());
  for (const std::string_view name : type.short_names) short_names.push_back(Text(name));
  if (!short_names.empty()) names.Set("shortNames", Value::List(std::move(short_names)));
  return names;
}

Value CustomVersion(const ResourceType& type, const Definition& spec) {
  Value open = Anything();
  open.Set("type", Text("object"));
  Value schema = Value::Map({{"description", Text(spec.text)}, {"type", Text("object")}});
  schema.Set("properties", Value::Map({{"apiVersion", Typed("string")},
                                       {"kind", Typed("string")},
                                       {"metadata", Typed("object")},
                                       {"spec", StructuralSchema(spec)},
                                       {"status", std::move(open)}}));
  const std::vector<PrinterColumn> printed = PrinterColumnsOf(type.kind);
  std::vector<Value> columns;
  columns.reserve(printed.size());
  for (const PrinterColumn& column : printed) {
    columns.push_back(
        Value::Map({{"name", Text(column.name)}, {"type", Text(column.type)}, {"jsonPath", Text(column.path)}}));
  }
  return Value::Map({{"name", Text(type.version)},
                     {"served", Value::Bool(true)},
                     {"storage", Value::Bool(true)},
                     {"subresources", Value::Map({{"status", Value::Map()}})},
                     {"additionalPrinterColumns", Value::List(std::move(columns))},
                     {"schema", Value::Map({{"openAPIV3Schema", std::move(schema)}})}});
}

}  // namespace

Value MakeCustomResource(const ResourceType& type) {
  const Definition* const spec = model::FindSpecDefinition(type.kind);
  if (spec == nullptr) return {};
  Value definition = Value::Map({{"group", Text(type.group)},
                                 {"names", CustomNames(type)},
                                 {"scope", Text(type.namespaced ? "Namespaced" : "Cluster")},
                                 {"versions", Value::List({CustomVersion(type, *spec)})}});
  return Value::Map({{"apiVersion", Text("apiextensions.k8s.io/v1")},
                     {"kind", Text("CustomResourceDefinition")},
                     {"metadata", Value::Map({{"name", Text(type.resource())}})},
                     {"spec", std::move(definition)}});
}

}  // namespace inferd::apiserver
