#include "kserve/model/api/field_types.h"

#include <set>
#include <string>

#include "data/manifest/problem.h"
#include "kserve/model/schema/definition.h"

namespace inferd::model {

namespace {

using manifest::Kind;
using manifest::Value;

class FieldTypeChecker final {
 public:
  explicit FieldTypeChecker(manifest::Problems& problems) : problems_(problems) {
    for (const manifest::Problem& problem : problems) known_.insert(problem.path);
  }

  void Check(const Value& map, const std::string& path, const Definition& definition) {
    for (const manifest::Member& member : map.members()) {
      const Field* const field = definition.Find(member.key);
      if (field == nullptr || member.value.is(Kind::kNull)) continue;
      CheckShape(member.value, manifest::PathOf(path, member.key), *field);
    }
  }

 private:
  static constexpr std::string_view kInteger = "must be an integer";

  void CheckShape(const Value& value, const std::string& path, const Field& field) {
    switch (field.shape) {
      case FieldShape::kOne: return CheckOne(value, path, field);
      case FieldShape::kList:
        if (!value.is(Kind::kList)) return Fail(value, path, "must be a list");
        for (size_t i = 0; i < value.items().size(); ++i) {
          CheckOne(value.items()[i], manifest::PathOf(path, i), field);
        }
        return;
      case FieldShape::kMap:
        if (!value.is(Kind::kMap)) return Fail(value, path, "must be a map");
        for (const manifest::Member& member : value.members()) {
          CheckOne(member.value, manifest::PathOf(path, member.key), field);
        }
        return;
    }
  }

  void CheckOne(const Value& value, const std::string& path, const Field& field) {
    switch (field.type) {
      case FieldType::kText:
        if (!value.is(Kind::kString)) Fail(value, path, "must be a string");
        return;
      case FieldType::kInteger:
        if (!value.is(Kind::kNumber) || !manifest::ParseInt64(value.text()).has_value()) {
          Fail(value, path, kInteger);
        }
        return;
      case FieldType::kBoolean:
        if (!value.is(Kind::kBool)) Fail(value, path, "must be true or false");
        return;
      case FieldType::kObject:
        if (!value.is(Kind::kMap)) return Fail(value, path, "must be a map");
        return Check(value, path, *field.object);
      case FieldType::kAny: return;
    }
  }

  void Fail(const Value& value, const std::string& path, std::string_view must) {
    if (!known_.insert(path).second) return;
    // A number in place of an integer has a fraction or too many digits.
    const bool inexact = value.is(Kind::kNumber) && must == kInteger;
    const std::string got = inexact ? value.text() : std::string(manifest::KindName(value.kind()));
    problems_.push_back({value.position(), path, std::string(must) + ", not " + got});
  }

  manifest::Problems& problems_;
  std::set<std::string> known_;  // paths of fields that have a problem
};

}  // namespace

void CheckFieldTypes(std::string_view kind, manifest::Fields& object) {
  const Definition* const definition = FindSpecDefinition(kind);
  const Value* const spec = object.Find("spec");
  if (definition == nullptr || spec == nullptr || !spec->is(Kind::kMap)) return;
  FieldTypeChecker(object.problems()).Check(*spec, manifest::PathOf(object.path(), "spec"), *definition);
}

}  // namespace inferd::model
