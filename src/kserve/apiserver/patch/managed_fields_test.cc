#include "kserve/apiserver/patch/managed_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/manifest/print.h"
#include "data/manifest/read.h"

namespace inferd::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

manifest::Value ReadFields(std::string_view text) { return std::move(manifest::ReadYaml(text, "test")->front()); }

std::vector<std::string> Texts(const FieldSet& fields) {
  std::vector<std::string> texts;
  for (const FieldPath& field : fields) texts.push_back(FieldText(field));
  return texts;
}

TEST(FieldSet, ListsAreOneField) {
  const manifest::Value value = ReadFields("{a: {b: 1, c: [1, {d: 2}], e: {}}, f: x}");
  const FieldSet fields = FieldsOf(value);
  EXPECT_THAT(Texts(fields), ElementsAre(".a.b", ".a.c", ".a.e", ".f"));
  EXPECT_EQ(manifest::ToJson(ToFieldsV1(fields)), R"({"f:a":{"f:b":{},"f:c":{},"f:e":{}},"f:f":{}})");
  EXPECT_EQ(FromFieldsV1(ToFieldsV1(fields)), fields);
  // The form that Kubernetes' own server writes.
  EXPECT_THAT(Texts(FromFieldsV1(ReadFields("{f:a: {.: {}, f:b: {}, f:l: {'k:{\"name\":\"x\"}': {f:y: {}}}}}"))),
              ElementsAre(".a", ".a.b", ".a.l"));
  const FieldSet with_map = {{"a"}, {"a", "b"}, {"a", "."}};
  EXPECT_EQ(manifest::ToJson(ToFieldsV1(with_map)), R"({"f:a":{".":{},"f:.":{},"f:b":{}}})");
  EXPECT_EQ(FromFieldsV1(ToFieldsV1(with_map)), with_map);
}

TEST(FieldSet, FindsWhatHasChanged) {
  EXPECT_THAT(
      Texts(ChangedFields(ReadFields("{a: {b: 1, c: 2}, d: [1]}"), ReadFields("{a: {b: 1, c: 3, e: {f: 4}}, d: [2]}"))),
      ElementsAre(".a.c", ".a.e.f", ".d"));
  const manifest::Value before = ReadFields("{a: {b: 1, c: 2}, d: [1], e: 3}");
  const manifest::Value after = ReadFields("{a: {b: 4}, d: [1], e: {f: 3}, g: 5}");
  EXPECT_FALSE(FieldDiffers(before, after, {"a"})) << "two maps";
  EXPECT_TRUE(FieldDiffers(before, after, {"a", "b"}));
  EXPECT_TRUE(FieldDiffers(before, after, {"a", "c"})) << "gone";
  EXPECT_FALSE(FieldDiffers(before, after, {"d"}));
  EXPECT_TRUE(FieldDiffers(before, after, {"e"})) << "a map now";
  EXPECT_FALSE(FieldDiffers(before, after, {"g"})) << "was not there";
}

TEST(FieldSet, RemovesEmptyMapsWithTheirLastField) {
  manifest::Value value = ReadFields("{a: {b: {c: 1}}, d: 2}");
  RemoveField(value, {"a", "b", "c"}, {{"a"}});
  EXPECT_EQ(manifest::ToJson(value), R"({"a":{},"d":2})");
  RemoveField(value, {"x", "y"}, {});
  RemoveField(value, {"a"}, {});
  EXPECT_EQ(manifest::ToJson(value), R"({"d":2})");
}

class ApplyTest : public ::testing::Test {
 protected:
  // Applies as Registry does, and returns the texts of the conflicts.
  std::vector<std::string> Apply(const std::string& manager, std::string_view wanted, bool force = false) {
    ManagedFields managed = ManagedFields::Of(object_);
    auto applied = managed.Apply(Writer(manager), object_, ReadFields(wanted), force);
    std::vector<std::string> conflicts;
    for (const auto& conflict : applied.conflicts) conflicts.push_back(conflict.manager + FieldText(conflict.field));
    if (!conflicts.empty()) return conflicts;
    object_ = std::move(applied.object);
    managed.WriteTo(object_);
    return {};
  }
  void Update(const std::string& manager, std::string_view after) {
    ManagedFields managed = ManagedFields::Of(object_);
    manifest::Value object = ReadFields(after);
    managed.Update(Writer(manager), object_, object);
    object_ = std::move(object);
    managed.WriteTo(object_);
  }
  static FieldWriter Writer(const std::string& manager) {
    return {.manager = manager, .api_version = "v1", .time = "2026-01-01T00:00:00Z"};
  }
  std::string Spec() const { return manifest::ToJson(*object_.Find("spec")); }

  manifest::Value object_ = ReadFields("{metadata: {name: x}, spec: {}}");
};

TEST_F(ApplyTest, WhatIsAppliedNoMoreGoes) {
  EXPECT_THAT(Apply("a", "{spec: {x: 1, y: {z: 2}}}"), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {w: 3}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"x":1,"y":{"z":2},"w":3})");
  EXPECT_THAT(Apply("a", "{spec: {x: 1}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"x":1,"w":3})");
}

TEST_F(ApplyTest, WhatAnotherHasIsAConflict) {
  EXPECT_THAT(Apply("a", "{spec: {x: 1}}"), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {x: 2}}"), ElementsAre("a.spec.x"));
  EXPECT_THAT(Apply("b", "{spec: {x: {y: 2}}}"), ElementsAre("a.spec.x"));
  EXPECT_EQ(Spec(), R"({"x":1})");
  // With the same value, both manage the field. It stays as long as one of them does.
  EXPECT_THAT(Apply("b", "{spec: {x: 1, y: 1}}"), IsEmpty());
  EXPECT_THAT(Apply("a", "{spec: {}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"x":1,"y":1})");
  EXPECT_THAT(Apply("a", "{spec: {x: 5}}"), ElementsAre("b.spec.x"));
  EXPECT_THAT(Apply("a", "{spec: {x: 5}}", true), IsEmpty());
  EXPECT_EQ(Spec(), R"({"x":5,"y":1})");
  EXPECT_THAT(Apply("b", "{spec: {y: 1}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"x":5,"y":1})");
}

TEST_F(ApplyTest, AManagerKeepsWhatItChanges) {
  for (const std::string_view wanted : {"{spec: {x: 1, y: {z: 1}}}", "{spec: {x: 2, y: {z: [1]}}}",
                                        "{spec: {x: {w: 3}, y: 4}}", "{spec: {x: 5, y: {}}}"}) {
    EXPECT_THAT(Apply("a", wanted), IsEmpty()) << wanted;
    EXPECT_EQ(object_.Find("metadata")->Find("managedFields")->items().size(), 1u) << wanted;
    EXPECT_EQ(Spec(), manifest::ToJson(*ReadFields(wanted).Find("spec")));
  }
  EXPECT_THAT(Apply("a", "{spec: {w: 1}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"w":1})");
}

TEST_F(ApplyTest, AMapIsNotTheFieldsInIt) {
  EXPECT_THAT(Apply("a", "{spec: {m: {}}}"), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {m: {x: 1}}}"), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {m: {x: 2}}}"), IsEmpty());
  EXPECT_THAT(Apply("a", "{spec: {m: {}}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"m":{"x":2}})");
  EXPECT_THAT(Apply("b", "{spec: {y: 1}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"m":{},"y":1})") << "the map is a's";
  EXPECT_THAT(Apply("b", "{spec: {m: 3}}"), ElementsAre("a.spec.m"));
  EXPECT_THAT(Apply("b", "{spec: {m: {x: 1}, y: 1}}"), IsEmpty());
  EXPECT_THAT(Apply("a", "{spec: {}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"m":{"x":1},"y":1})") << "b has a field in it";
  EXPECT_THAT(Apply("b", "{spec: {y: 1}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"y":1})");
}

TEST_F(ApplyTest, AForcedManagerTakesWhatItChangesOnly) {
  EXPECT_THAT(Apply("a", "{spec: {m: {x: 1, y: 1}, l: [1]}}"), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {m: {x: 2, y: 1}, l: {k: 1}}}"), ElementsAre("a.spec.l", "a.spec.m.x"));
  EXPECT_THAT(Apply("b", "{spec: {m: {x: 2, y: 1}, l: {k: 1}}}", true), IsEmpty());
  EXPECT_THAT(Apply("b", "{spec: {}}"), IsEmpty());
  EXPECT_EQ(Spec(), R"({"m":{"y":1}})") << "y is a's as well";
}

TEST_F(ApplyTest, WhatIsWrittenBelongsToTheWriter) {
  EXPECT_THAT(Apply("a", "{spec: {x: 1}}"), IsEmpty());
  Update("editor", "{metadata: {name: x}, spec: {x: 2, l: [1]}}");
  EXPECT_THAT(Apply("a", "{spec: {x: 1}}"), ElementsAre("editor.spec.x"));
  EXPECT_THAT(Apply("a", "{spec: {x: 2}}"), IsEmpty());
  Update("editor", "{metadata: {name: x}, spec: {x: 2}}");
  EXPECT_THAT(Apply("a", "{spec: {l: [2]}}"), IsEmpty());
}

TEST_F(ApplyTest, ManagersAreBounded) {
  for (int number = 0; number < 50; ++number) {
    Update("m" + std::to_string(number), "{metadata: {name: x}, spec: {f" + std::to_string(number) + ": 1}}");
    Apply("a" + std::to_string(number), "{spec: {g" + std::to_string(number) + ": 1}}");
  }
  EXPECT_LE(object_.Find("metadata")->Find("managedFields")->items().size(), 20u);
}

}  // namespace
}  // namespace inferd::apiserver
