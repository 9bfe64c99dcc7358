#include "kserve/modelcalls/lost_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::modelcalls {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LostModelsTest, AModelIsLostIfTwoAnswersLackIt) {
  LostModels models;
  EXPECT_THAT(models.Note({"a", "b"}), IsEmpty());
  EXPECT_THAT(models.Note({"a"}), IsEmpty());
  EXPECT_THAT(models.Note({"a", "b"}), IsEmpty()) << "one answer in between";
  EXPECT_THAT(models.Note({"a"}), IsEmpty());
  EXPECT_THAT(models.Note({"a"}), ElementsAre("b"));
  EXPECT_THAT(models.Note({}), ElementsAre("b"));
  EXPECT_THAT(models.Note({}), ElementsAre("a", "b"));
  EXPECT_THAT(models.Note({"b"}), ElementsAre("a"));
  models.Forget("a");
  EXPECT_THAT(models.Note({"b"}), IsEmpty());
}

TEST(LostModelsTest, AModelThatWasNeverReadyIsNotLost) {
  LostModels models;
  for (int i = 0; i < 3; ++i) EXPECT_THAT(models.Note({}), IsEmpty());
}

}  // namespace
}  // namespace inferd::modelcalls
