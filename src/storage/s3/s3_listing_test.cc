#include "storage/s3/s3_listing.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

constexpr std::string_view kPage = R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>models</Name><Prefix>m</Prefix><KeyCount>2</KeyCount><MaxKeys>2</MaxKeys><EncodingType>url</EncodingType>
  <IsTruncated>true</IsTruncated><NextContinuationToken>1/+=</NextContinuationToken>
  <Contents><Key>m/a+b%2B%C3%BC</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>
    <ETag>&quot;0cc175b9c0f1b6a831c399e269772661&quot;</ETag><Size>5000000000</Size></Contents>
  <Contents><Key>m/empty</Key><ETag>"x-2"</ETag><Size>0</Size></Contents>
</ListBucketResult>)";

TEST(S3ListingTest, APageHasItsObjects) {
  const auto page = ReadS3Page(kPage);
  ASSERT_TRUE(page.has_value()) << page.error().ToString();
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "m/a b+ü");
  EXPECT_EQ(page->objects[0].size, 5'000'000'000U);
  EXPECT_EQ(page->objects[0].tag, "\"0cc175b9c0f1b6a831c399e269772661\"");
  EXPECT_EQ(page->objects[1].size, 0U);
  EXPECT_EQ(page->next_token, "1/+=");
}

TEST(S3ListingTest, TheLastPageHasNoNext) {
  const auto page = ReadS3Page("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->next_token, "");
  EXPECT_TRUE(page->objects.empty());
}

TEST(S3ListingTest, WhatIsNoPageIsRefused) {
  for (const std::string_view text :
       {"", "text", "<Error/>", "<ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents></ListBucketResult>"}) {
    const auto page = ReadS3Page(text);
    ASSERT_FALSE(page.has_value()) << text;
    EXPECT_EQ(page.error().code(), base::StatusCode::kInvalidArgument);
  }
}

TEST(S3ListingTest, ErrorsAreShownWithoutOddCharacters) {
  EXPECT_EQ(ReadS3Error("<Error><Code>NoSuchBucket</Code><Message>There is none</Message></Error>"),
            "NoSuchBucket: There is none");
  EXPECT_EQ(ReadS3Error("<ErrorResponse><Error><Code>Denied</Code><Message>a&#10;b</Message></Error></ErrorResponse>"),
            "Denied: a\\nb");
  EXPECT_EQ(ReadS3Error("<html/>"), "");
  EXPECT_EQ(ReadS3Error("no XML"), "");
}

}  // namespace
}  // namespace inferd::storage
