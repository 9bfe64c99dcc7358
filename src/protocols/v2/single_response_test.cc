#include "protocols/v2/single_response.h"

#include <gtest/gtest.h>

namespace inferd::v2 {
namespace {

core::InferResponse Response(std::string id, size_t outputs, bool final, base::Status status = {}) {
  core::InferResponse response;
  response.id = std::move(id);
  response.outputs.resize(outputs);
  response.final = final;
  response.status = std::move(status);
  return response;
}

TEST(SingleResponseTest, TheOnlyOne) {
  SingleResponse single;
  EXPECT_TRUE(single.Add(Response("a", 1, true)));
  EXPECT_FALSE(single.many());
  EXPECT_EQ(single.response().id, "a");
}

TEST(SingleResponseTest, OneAheadOfAnEmptyFinalOne) {
  SingleResponse single;
  EXPECT_FALSE(single.Add(Response("a", 1, false)));
  EXPECT_TRUE(single.Add(Response("b", 0, true)));
  EXPECT_FALSE(single.many());
  EXPECT_EQ(single.response().id, "a");
}

TEST(SingleResponseTest, AFinalOneWithoutOutputsAddsItsParameters) {
  SingleResponse single;
  core::InferResponse first = Response("a", 1, false);
  first.parameters = {{"p", int64_t{1}}};
  core::InferResponse last = Response("b", 0, true);
  last.parameters = {{"p", int64_t{2}}, {"tokens", int64_t{7}}};
  EXPECT_FALSE(single.Add(std::move(first)));
  EXPECT_TRUE(single.Add(std::move(last)));
  EXPECT_FALSE(single.many());
  EXPECT_EQ(single.response().id, "a");
  EXPECT_EQ(single.response().parameters, (core::Parameters{{"p", int64_t{1}}, {"tokens", int64_t{7}}}));
}

TEST(SingleResponseTest, AnEmptyFinalOneAlone) {
  SingleResponse single;
  EXPECT_TRUE(single.Add(Response("a", 0, true)));
  EXPECT_EQ(single.response().id, "a");
}

TEST(SingleResponseTest, MoreThanOne) {
  SingleResponse two;
  EXPECT_FALSE(two.Add(Response("a", 1, false)));
  EXPECT_TRUE(two.Add(Response("b", 1, true)));
  EXPECT_TRUE(two.many());
  SingleResponse late_error;
  EXPECT_FALSE(late_error.Add(Response("a", 1, false)));
  EXPECT_TRUE(late_error.Add(Response("b", 0, true, base::Internal("broke"))));
  EXPECT_TRUE(late_error.many());
}

TEST(SingleResponseTest, AFailureAheadOfOthers) {
  SingleResponse single;
  EXPECT_FALSE(single.Add(Response("a", 0, false, base::Internal("broke"))));
  EXPECT_FALSE(single.Add(Response("b", 1, false)));
  EXPECT_TRUE(single.Add(Response("c", 0, true, base::Internal("broke again"))));
  EXPECT_FALSE(single.many());
  EXPECT_EQ(single.response().id, "a");
  EXPECT_EQ(single.response().status.message(), "broke");
}

}  // namespace
}  // namespace inferd::v2
