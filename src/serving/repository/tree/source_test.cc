#include "serving/repository/tree/source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SourceTest : public ::testing::Test {
 protected:
  void SetUp() override { source_ = *Source::Create({{.name = "r", .path = dir_.path()}}, clock_, 1000); }
  // Returns the look at the only model.
  ModelLook Look(bool accept = false) {
    std::vector<ModelLook> looks = source_->Look(accept, &problems_);
    EXPECT_EQ(looks.size(), 1u);
    return looks.empty() ? ModelLook{} : looks.front();
  }
  inferd::support::TempDir dir_;
  base::FakeClock clock_;
  std::unique_ptr<Source> source_;
  std::vector<base::Status> problems_;
};

TEST_F(SourceTest, WhatIsThereAtTheStartIsWhole) {
  dir_.Write("m/1/model.onnx", "x");
  const ModelLook look = Look(true);
  EXPECT_THAT(look.settled, ElementsAre(1));
  EXPECT_FALSE(look.changing);
  EXPECT_EQ(look.version_dirs.at(1), dir_.path() / "m/1");
}

TEST_F(SourceTest, ANewVersionIsWholeAfterTwoEqualLooks) {
  dir_.Write("m/1/model.onnx", "x");
  Look(true);
  dir_.Write("m/2/model.onnx", "half");
  EXPECT_THAT(Look().settled, ElementsAre(1));
  clock_.AdvanceMs(999);
  ModelLook look = Look();
  EXPECT_THAT(look.settled, ElementsAre(1));
  EXPECT_TRUE(look.changing);
  clock_.AdvanceMs(1);
  look = Look();
  EXPECT_THAT(look.settled, ElementsAre(1, 2));
  EXPECT_FALSE(look.changing);
}

TEST_F(SourceTest, AVersionThatGrowsIsNotWhole) {
  dir_.Write("m/1/model.onnx", "x");
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(Look().settled, IsEmpty());
    clock_.AdvanceMs(2000);
    dir_.Write("m/1/model.onnx", std::string(static_cast<size_t>(i) + 2, 'x'));
  }
}

TEST_F(SourceTest, ARemovedModelIsShownUntilItsAbsenceSettles) {
  dir_.Write("m/1/model.onnx", "x");
  Look(true);
  dir_.Remove("m");
  EXPECT_TRUE(Look().changing);
  clock_.AdvanceMs(1000);
  const ModelLook gone = Look();
  EXPECT_FALSE(gone.changing);
  EXPECT_EQ(gone.layout, ModelLayout{});
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
}

TEST_F(SourceTest, ARepositoryThatVanishesSaysNothingAboutItsModels) {
  dir_.Write("m/1/model.onnx", "x");
  Look(true);
  std::filesystem::rename(dir_.path(), dir_.path().string() + ".away");
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
  EXPECT_EQ(problems_.size(), 1u);
  std::filesystem::rename(dir_.path().string() + ".away", dir_.path());
  EXPECT_FALSE(Look().changing) << "it is told once more";
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
}

TEST_F(SourceTest, WhatIsWholeIsToldOnce) {
  dir_.Write("m/1/model.onnx", "x");
  dir_.Write("n/1/model.onnx", "x");
  EXPECT_EQ(source_->Look(true, &problems_).size(), 2u);
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
  EXPECT_TRUE(source_->IsAsTold("m"));
  dir_.Write("m/1/model.onnx", "changed");
  EXPECT_TRUE(Look().changing);
  EXPECT_FALSE(source_->IsAsTold("m"));
  EXPECT_TRUE(Look().changing) << "as long as it is not whole";
  clock_.AdvanceMs(1000);
  EXPECT_FALSE(Look().changing);
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
  EXPECT_TRUE(source_->LookAt("n", "").has_value());
  EXPECT_EQ(Look().name, "n") << "another call looked at it";
  EXPECT_THAT(source_->Look(false, &problems_), IsEmpty());
  source_->TellAgain();
  EXPECT_EQ(source_->Look(false, &problems_).size(), 2u);
}

TEST_F(SourceTest, ReadsTheVersionPolicy) {
  dir_.Write("m/1/model.onnx", "x");
  dir_.Write("m/config.pbtxt", "version_policy { specific { versions: [1, 7] } }");
  EXPECT_THAT(Look(true).rules.policy.specific, ElementsAre(1, 7));
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  EXPECT_EQ(Look().rules.policy.kind, config::VersionPolicyKind::kAll);
  dir_.Write("m/config.pbtxt", "not a configuration");
  EXPECT_EQ(Look().rules.policy.kind, config::VersionPolicyKind::kLatest);
}

TEST_F(SourceTest, ListsNamesAndKnowsWhenTheyHaveNotChanged) {
  dir_.Write("b/1/model.onnx", "x");
  dir_.Write("a/1/model.onnx", "x");
  clock_.AdvanceNs(base::SystemClock().WallNs() - clock_.WallNs());
  const auto names = [this] {
    std::string text;
    const auto listing = source_->List(&problems_);
    if (!listing.has_value()) return std::string("the same");
    for (const Listing::Model& model : listing->came) text += "+" + model.name + "@" + model.repository + " ";
    for (const std::string& name : listing->gone) text += "-" + name + " ";
    return text;
  };
  EXPECT_EQ(names(), "+a@r +b@r ");
  EXPECT_EQ(names(), "") << "it has changed just now, and perhaps does again";
  clock_.AdvanceMs(60'000);
  EXPECT_EQ(names(), "");
  EXPECT_EQ(names(), "the same");
  dir_.Write("a/2/model.onnx", "x");
  EXPECT_EQ(names(), "the same") << "what is inside a model is not looked at";
  dir_.Remove("a");
  EXPECT_EQ(names(), "-a ");
  std::filesystem::rename(dir_.path(), dir_.path().string() + ".away");
  EXPECT_EQ(names(), "") << "nothing is known of them";
  EXPECT_EQ(problems_.size(), 1u);
  std::filesystem::rename(dir_.path().string() + ".away", dir_.path());
  EXPECT_EQ(names(), "");
  dir_.Write("c/1/model.onnx", "x");
  EXPECT_EQ(names(), "+c@r ");
}

TEST_F(SourceTest, WhatACallSawOtherwiseIsListedAgain) {
  dir_.Write("a/1/model.onnx", "x");
  EXPECT_EQ(source_->List(&problems_)->came.size(), 1u);
  dir_.Remove("a");
  EXPECT_FALSE(source_->LookAt("a", "").has_value());
  dir_.Write("a/1/model.onnx", "x");
  EXPECT_EQ(source_->List(&problems_)->came.size(), 1u);
  dir_.Write("b/1/model.onnx", "x");
  EXPECT_TRUE(source_->LookAt("b", "").has_value());
  dir_.Remove("b");
  EXPECT_THAT(source_->List(&problems_)->gone, ElementsAre("b"));
}

TEST_F(SourceTest, NamesThatAreNotPrintableAreRefused) {
  dir_.Write("good/1/model.onnx", "x");
  dir_.Write("caf\xE9/1/model.onnx", "x");
  dir_.Write("a\n# HELP b/1/model.onnx", "x");
  const auto looks = source_->Look(true, &problems_);
  ASSERT_EQ(looks.size(), 1u);
  EXPECT_EQ(looks[0].name, "good");
  ASSERT_EQ(problems_.size(), 2u);
  EXPECT_THAT(problems_[0].message(), ::testing::HasSubstr(R"('a\n# HELP b' is no name of a model)"));
  EXPECT_THAT(problems_[1].message(), ::testing::HasSubstr(R"('caf\xe9' is no name of a model)"));
  problems_.clear();
  EXPECT_EQ(source_->List(&problems_).value().came.size(), 1u);
}

TEST_F(SourceTest, LooksAtOneModel) {
  dir_.Write("m/1/model.onnx", "x");
  EXPECT_THAT(source_->LookAt("m", "").value().settled, ElementsAre(1));
  EXPECT_EQ(source_->LookAt("m", "other").error().code(), base::StatusCode::kNotFound);
  EXPECT_EQ(source_->LookAt("n", "").error().code(), base::StatusCode::kNotFound);
}

TEST(SourceNamesTest, ARepositoryIsNamedAfterItsFolder) {
  base::FakeClock clock;
  const auto source =
      *Source::Create({{.name = "", .path = "/srv/models/"}, {.name = "x", .path = "/srv/models"}}, clock, 0);
  EXPECT_THAT(source->repositories(), ElementsAre("models", "x"));
}

}  // namespace
}  // namespace inferd::repository
