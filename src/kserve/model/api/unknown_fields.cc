#include "kserve/model/api/unknown_fields.h"

#include <utility>

#include "data/manifest/problem.h"
#include "kserve/model/schema/definition.h"

namespace inferd::model {

namespace {

using manifest::Kind;
using manifest::Value;

class UnknownFieldFinder {
 public:
  void Check(const Value& map, const std::string& path, const Definition& definition) {
    for (const manifest::Member& member : map.members()) {
      const std::string at = manifest::PathOf(path, member.key);
      const Field* const field = definition.Find(member.key);
      if (field == nullptr) {
        Add(member, at, definition);
      } else if (field->object != nullptr) {
        CheckValue(member.value, at, *field);
      }
    }
  }

  std::vector<UnknownField> Take() { return std::move(found_); }

 private:
  void CheckValue(const Value& value, const std::string& path, const Field& field) {
    switch (field.shape) {
      case FieldShape::kOne:
        if (value.is(Kind::kMap)) Check(value, path, *field.object);
        break;
      case FieldShape::kList:
        for (size_t i = 0; i < value.items().size(); ++i) {
          if (value.items()[i].is(Kind::kMap)) Check(value.items()[i], manifest::PathOf(path, i), *field.object);
        }
        break;
      case FieldShape::kMap:
        for (const manifest::Member& member : value.members()) {
          if (member.value.is(Kind::kMap)) Check(member.value, manifest::PathOf(path, member.key), *field.object);
        }
        break;
    }
  }

  void Add(const manifest::Member& member, const std::string& path, const Definition& definition) {
    UnknownField& unknown = found_.emplace_back(
        UnknownField{.position = member.position.line > 0 ? member.position : member.value.position(),
                     .path = path,
                     .name = member.key});
    for (const Field& field : definition.fields) unknown.known.push_back(field.name);
  }

  std::vector<UnknownField> found_;
};

}  // namespace

std::vector<UnknownField> FindUnknownFields(const Object& object) {
  if (std::holds_alternative<OtherObject>(object.typed)) return {};
  const Definition* const definition = FindSpecDefinition(object.kind);
  const Value* const spec = object.document().Find("spec");
  if (definition == nullptr || spec == nullptr || !spec->is(Kind::kMap)) return {};
  UnknownFieldFinder finder;
  finder.Check(*spec, "spec", *definition);
  return finder.Take();
}

}  // namespace inferd::model
