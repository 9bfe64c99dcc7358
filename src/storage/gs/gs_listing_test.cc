#include "storage/gs/gs_listing.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

TEST(GsListingTest, APageHasItsObjects) {
  const auto page = ReadGsPage(R"({"kind": "storage#objects", "nextPageToken": "Cg==", "prefixes": [],
      "items": [{"name": "m/a b+ü", "size": "5000000000", "generation": "1788", "md5Hash": "DMF1ucDxtqgxw5niaXcmYQ==",
                 "metadata": {"size": "no"}},
                {"name": "m/composed", "size": "0", "generation": "2"}]})");
  ASSERT_TRUE(page.has_value()) << page.error().ToString();
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "m/a b+ü");
  EXPECT_EQ(page->objects[0].size, 5'000'000'000U);
  EXPECT_EQ(page->objects[0].tag, "1788");
  EXPECT_EQ(page->objects[0].md5, "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(page->objects[1].md5, "");
  EXPECT_EQ(page->next_token, "Cg==");
}

TEST(GsListingTest, ABucketMayBeEmpty) {
  const auto page = ReadGsPage(R"({"kind": "storage#objects"})");
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->objects.empty());
  EXPECT_EQ(page->next_token, "");
}

TEST(GsListingTest, WhatIsNoPageIsRefused) {
  for (const char* text : {"", "[]", "<html>", R"({"items": {}})", R"({"items": [{"size": "1"}]})",
                           R"({"items": [{"name": "a"}]})", R"({"items": [{"name": "a", "size": 1}]})",
                           R"({"items": [{"name": "a", "size": "-1"}]})", R"({"items": [{"name": "a", "size": "1x"}]})",
                           R"({"items": [{"name": "a", "size": "1", "md5Hash": "AAAA"}]})", R"({"items": []} x)"}) {
    const auto page = ReadGsPage(text);
    ASSERT_FALSE(page.has_value()) << text;
    EXPECT_EQ(page.error().code(), base::StatusCode::kInvalidArgument);
  }
}

TEST(GsListingTest, ErrorsAreThoseOfBothServices) {
  EXPECT_EQ(ReadGsError(R"({"error": {"code": 404, "message": "There is\nnone", "errors": []}})"), "There is\\nnone");
  EXPECT_EQ(ReadGsError(R"({"error": "invalid_grant", "error_description": "Bad JWT"})"), "Bad JWT");
  EXPECT_EQ(ReadGsError("<html>"), "");
}

}  // namespace
}  // namespace inferd::storage
