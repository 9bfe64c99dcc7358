#include "config/nearest_name.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

std::string Suggest(std::string_view name, std::initializer_list<std::string_view> candidates) {
  NearestName nearest(name);
  for (const std::string_view candidate : candidates) nearest.Offer(candidate);
  return nearest.Suggestion("--");
}

TEST(NearestNameTest, TakesTheNearest) {
  EXPECT_EQ(Suggest("http-prt", {"grpc-port", "http-port", "http"}), " (did you mean '--http-port'?)");
  EXPECT_EQ(Suggest("datatype", {"dims", "data_type"}), " (did you mean '--data_type'?)");
  EXPECT_EQ(Suggest("repository", {"model-repository"}), " (did you mean '--model-repository'?)");
}

TEST(NearestNameTest, SuggestsNothingFar) {
  EXPECT_EQ(Suggest("frobnicate", {"http-port", "name"}), "");
  EXPECT_EQ(Suggest("", {"http-port"}), "");
  EXPECT_EQ(Suggest("x", {}), "");
}

}  // namespace
}  // namespace inferd::config
