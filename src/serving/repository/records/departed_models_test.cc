#include "serving/repository/records/departed_models.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

ModelRecord WithVersions(const std::string& name, std::initializer_list<int64_t> versions) {
  ModelRecord record;
  record.name = name;
  for (const int64_t version : versions) record.versions[version];
  return record;
}

TEST(DepartedModelsTest, AreListedByNameUntilTheyAreBack) {
  DepartedModels departed;
  departed.Note(WithVersions("b", {1, 10}));
  departed.Note(WithVersions("a", {2}));
  departed.Note(WithVersions("never_had_any", {}));
  const auto listed = departed.List("");
  ASSERT_EQ(listed.size(), 2u);
  EXPECT_EQ(listed[0].name, "a");
  ASSERT_EQ(listed[1].versions.size(), 2u);
  EXPECT_EQ(listed[1].versions[1].version, "10");
  EXPECT_EQ(listed[1].versions[1].state, core::ModelState::kUnavailable);
  EXPECT_TRUE(listed[1].config_json.empty());
  EXPECT_EQ(departed.List("b").size(), 1u);
  EXPECT_TRUE(departed.List("c").empty());
  departed.Forget("b");
  EXPECT_EQ(departed.List("").size(), 1u);
}

TEST(DepartedModelsTest, ALookThatFindsNoVersionsAnyMoreForgetsNone) {
  DepartedModels departed;
  departed.Note(WithVersions("a", {1}));
  departed.Note(WithVersions("a", {}));
  ASSERT_EQ(departed.List("a").size(), 1u);
  EXPECT_EQ(departed.List("a")[0].versions.size(), 1u);
}

TEST(DepartedModelsTest, VersionsOfAModelThatIsThereAreListedApart) {
  DepartedModels departed;
  departed.NoteVersion("a", 3, nullptr);
  departed.NoteVersion("a", 2, nullptr);
  EXPECT_TRUE(departed.List("").empty());
  ASSERT_EQ(departed.Versions("a").versions.size(), 2u);
  EXPECT_EQ(departed.Versions("a").versions[0].version, "2");
  departed.Note(WithVersions("a", {1}));
  ASSERT_EQ(departed.List("").size(), 1u) << "now its folder has gone, too";
  EXPECT_EQ(departed.List("")[0].versions.size(), 3u);
  departed.ForgetVersions("a");
  EXPECT_EQ(departed.Versions("a").versions.size(), 3u) << "its folder has gone";
  departed.Forget("a");
  EXPECT_TRUE(departed.Versions("a").name.empty());
  departed.NoteVersion("b", 1, nullptr);
  departed.ForgetVersions("b");
  EXPECT_TRUE(departed.Versions("b").name.empty());
}

TEST(DepartedModelsTest, OfTooManyVersionsTheLowestAreForgotten) {
  DepartedModels departed;
  departed.NoteVersion("a", 1, nullptr);
  for (size_t i = 0; i < DepartedModels::kModelsMax; ++i) departed.NoteVersion(std::to_string(i), 1, nullptr);
  EXPECT_TRUE(departed.Versions("a").versions.empty()) << "it left before the others";
  for (size_t i = 0; i <= DepartedModels::kVersionsMax; ++i)
    departed.NoteVersion("c", static_cast<int64_t>(i), nullptr);
  EXPECT_EQ(departed.Versions("c").versions.size(), DepartedModels::kVersionsMax);
  EXPECT_EQ(departed.Versions("c").versions[0].version, "1");
}

TEST(DepartedModelsTest, TheFirstOfTooManyIsForgotten) {
  DepartedModels departed;
  for (size_t i = 0; i <= DepartedModels::kModelsMax; ++i) departed.Note(WithVersions(std::to_string(i), {1}));
  EXPECT_EQ(departed.List("").size(), DepartedModels::kModelsMax);
  EXPECT_TRUE(departed.List("0").empty());
  EXPECT_FALSE(departed.List(std::to_string(DepartedModels::kModelsMax)).empty());
}

}  // namespace
}  // namespace inferd::repository
