#include "net/http/weighted_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace inferd::net {
namespace {

// Returns "name=weight" for each item, and "malformed" if the list is.
std::vector<std::string> ItemsOf(std::string_view text) {
  std::vector<std::string> items;
  WeightedList list(text);
  while (const auto item = list.Next()) items.push_back(std::string(item->name) + "=" + std::to_string(item->weight));
  if (list.malformed()) items.emplace_back("malformed");
  return items;
}

TEST(WeightedListTest, ItemsAndTheirWeights) {
  using ::testing::ElementsAre;
  EXPECT_THAT(ItemsOf("gzip"), ElementsAre("gzip=1000"));
  EXPECT_THAT(ItemsOf("gzip;q=0.5, *;q=0"), ElementsAre("gzip=500", "*=0"));
  EXPECT_THAT(ItemsOf(" a ;\tQ = 0.125 ,b;q=1.000"), ElementsAre("a=125", "b=1000"));
  EXPECT_THAT(ItemsOf("text/html;level=1;q=0.4;x=y"), ElementsAre("text/html=400"));
  EXPECT_THAT(ItemsOf("a,,b"), ElementsAre("a=1000", "=1000", "b=1000"));
  EXPECT_THAT(ItemsOf(""), ElementsAre());
}

TEST(WeightedListTest, MalformedWeightsEndTheList) {
  for (const char* weight : {"", "x", "2", "1.001", "0.1234", ".5", "-1", "0,5", "0.x"}) {
    const auto items = ItemsOf("a;q=" + std::string(weight));
    ASSERT_FALSE(items.empty());
    EXPECT_EQ(items.front() == "malformed", std::string_view(weight) != "0,5") << weight;
  }
}

}  // namespace
}  // namespace inferd::net
