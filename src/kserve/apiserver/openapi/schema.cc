#include "kserve/apiserver/openapi/schema.h"

#include <string>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/model/schema/definition.h"

namespace inferd::apiserver {

namespace {

using manifest::Text;
using manifest::Value;
using model::FieldShape;
using model::FieldType;

// Writes the definitions of one kind as schemas.
class SchemaWriter {
 public:
  SchemaWriter(std::string prefix, std::string_view reference, Value& schemas)
      : prefix_(std::move(prefix)), reference_(reference), schemas_(schemas) {}

  std::string NameOf(std::string_view name) const { return prefix_ + std::string(name); }
  Value ReferenceTo(const model::Definition& definition) const {
    return Value::Map({{"$ref", Text(reference_ + NameOf(definition.name))}});
  }

  void Add(const model::Definition& definition) {
    const std::string name = NameOf(definition.name);
    if (schemas_.Find(name) != nullptr) return;
    schemas_.Set(name, Value());  // reserves its place before the schemas that it refers to
    Value properties = Value::Map();
    for (const model::Field& field : definition.fields) {
      if (field.object != nullptr) Add(*field.object);
      properties.Set(field.name, SchemaOf(field));
    }
    schemas_.Set(name, Value::Map({{"description", Text(definition.text)},
                                   {"type", Text("object")},
                                   {"properties", std::move(properties)}}));
  }

 private:
  Value SchemaOfOne(const model::Field& field) const {
    switch (field.type) {
      case FieldType::kText: return Value::Map({{"type", Text("string")}});
      case FieldType::kInteger: return Value::Map({{"type", Text("integer")}, {"format", Text("int64")}});
      case FieldType::kBoolean: return Value::Map({{"type", Text("boolean")}});
      case FieldType::kObject: return ReferenceTo(*field.object);
      case FieldType::kAny: break;
    }
    return Value::Map();
  }

  Value SchemaOf(const model::Field& field) const {
    Value schema = SchemaOfOne(field);
    if (field.shape == FieldShape::kList) {
      schema = Value::Map({{"type", Text("array")}, {"items", std::move(schema)}});
    } else if (field.shape == FieldShape::kMap) {
      schema = Value::Map({{"type", Text("object")}, {"additionalProperties", std::move(schema)}});
    }
    if (!field.text.empty()) schema.Set("description", Text(field.text));
    return schema;
  }

  const std::string prefix_;
  const std::string reference_;
  Value& schemas_;
};

// Returns "io.kserve.serving.v1beta1." for "serving.kserve.io".
std::string PrefixOf(const ResourceType& type) {
  std::string prefix;
  std::string_view group = type.group;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    prefix += std::string(group.substr(dot == std::string_view::npos ? 0 : dot + 1)) + ".";
    group = group.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return prefix + std::string(type.version) + ".";
}

Value Described(Value schema, std::string_view text) {
  schema.Set("description", Text(text));
  return schema;
}

}  // namespace

void AddSchemas(const ResourceType& type, std::string_view reference, Value& schemas) {
  const model::Definition* const spec = model::FindSpecDefinition(type.kind);
  if (spec == nullptr) return;
  SchemaWriter writer(PrefixOf(type), reference, schemas);
  writer.Add(*spec);
  const Value text = Value::Map({{"type", Text("string")}});
  const Value open = Value::Map({{"type", Text("object")}});
  Value properties = Value::Map({{"apiVersion", Described(text, type.api_version() + ".")},
                                 {"kind", Described(text, std::string(type.kind) + ".")},
                                 {"metadata", Described(open, "Name, namespace, labels, annotations.")},
                                 {"spec", Described(writer.ReferenceTo(*spec), spec->text)}});
  if (type.has_status) properties.Set("status", Described(open, "What became of it; not to be written."));
  Value kind = Value::Map({{"group", Text(type.group)}, {"kind", Text(type.kind)}, {"version", Text(type.version)}});
  schemas.Set(writer.NameOf(type.kind),
              Value::Map({{"description", Text(spec->text)},
                          {"type", Text("object")},
                          {"properties", std::move(properties)},
                          {"x-kubernetes-group-version-kind", Value::List({std::move(kind)})}}));
}

}  // namespace inferd::apiserver
