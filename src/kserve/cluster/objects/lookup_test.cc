#include "kserve/cluster/objects/lookup.h"

#include <gmock/gmock.h>

namespace inferd::cluster {
namespace {

using enum Lookup::Known;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(LookupTest, AtTheStartTwoAnswersMakeAnAbsence) {
  Lookup lookup;
  EXPECT_FALSE(lookup.NotFound(0, Evidence::kNone));
  EXPECT_EQ(lookup.known(), kNothing);
  EXPECT_THAT(lookup.doubt(), IsEmpty()) << "a cluster without it is nothing to warn of";
  EXPECT_FALSE(lookup.NotFound(1 * kSecondNs, Evidence::kNone)) << "too early";
  EXPECT_FALSE(lookup.NotFound(2 * kSecondNs, Evidence::kUnread)) << "objects that may need it are not read yet";
  EXPECT_TRUE(lookup.NotFound(3 * kSecondNs, Evidence::kNone));
  EXPECT_EQ(lookup.known(), kAbsent);
}

TEST(LookupTest, OneThatWasThereIsMissedTwiceAndForLonger) {
  Lookup lookup;
  EXPECT_TRUE(lookup.Found());
  EXPECT_FALSE(lookup.NotFound(0, Evidence::kNone));
  EXPECT_THAT(lookup.doubt(), HasSubstr("counts as there"));
  EXPECT_FALSE(lookup.NotFound(9 * kSecondNs, Evidence::kNone));
  EXPECT_FALSE(lookup.Found()) << "it is there after all";
  EXPECT_THAT(lookup.doubt(), IsEmpty());
  EXPECT_FALSE(lookup.NotFound(10 * kSecondNs, Evidence::kNone)) << "the first one of two, again";
  EXPECT_TRUE(lookup.NotFound(20 * kSecondNs, Evidence::kNone));
  EXPECT_EQ(lookup.known(), kAbsent);
  EXPECT_THAT(lookup.doubt(), IsEmpty());
  EXPECT_TRUE(lookup.Found()) << "it was installed";
}

TEST(LookupTest, ObjectsThatNeedItContradict) {
  Lookup lookup;
  lookup.Found();
  for (int minutes = 0; minutes < 10; ++minutes) {
    EXPECT_FALSE(lookup.NotFound(minutes * 60 * kSecondNs, Evidence::kContradicting));
  }
  EXPECT_EQ(lookup.known(), kThere);
  EXPECT_THAT(lookup.doubt(), HasSubstr("objects that need it exist"));
  Lookup started;
  EXPECT_TRUE(started.NotFound(0, Evidence::kContradicting)) << "after a restart, too";
  EXPECT_EQ(started.known(), kThere);
}

TEST(LookupTest, AFailureLeavesWhatIsKnown) {
  for (const Lookup::Known known : {kNothing, kThere, kAbsent}) {
    Lookup lookup;
    if (known == kThere) lookup.Found();
    if (known == kAbsent) lookup.SwitchedOff();
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(lookup.Failed("Forbidden: no"));
    EXPECT_EQ(lookup.known(), known);
    EXPECT_THAT(lookup.doubt(), HasSubstr("Forbidden: no; "));
    lookup.Found();
    EXPECT_THAT(lookup.doubt(), IsEmpty());
  }
}

TEST(LookupTest, AFailureBetweenTwoAnswersIsNoSecondOne) {
  Lookup lookup;
  lookup.Found();
  lookup.NotFound(0, Evidence::kNone);
  lookup.Failed("HTTP 503");
  EXPECT_EQ(lookup.known(), kThere);
  EXPECT_TRUE(lookup.NotFound(60 * kSecondNs, Evidence::kNone)) << "these two count";
}

}  // namespace
}  // namespace inferd::cluster
