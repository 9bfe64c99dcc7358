#include "storage/azure/azure_listing.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

constexpr std::string_view kBlobs = R"(<?xml version="1.0" encoding="utf-8"?>
<EnumerationResults ServiceEndpoint="https://a.blob.core.windows.net/" ContainerName="models"><Prefix>m</Prefix><Blobs>
  <Blob><Name>m/a b+ü&amp;c</Name><Properties><Etag>0x8D1</Etag><Content-Length>5000000000</Content-Length>
    <Content-MD5>DMF1ucDxtqgxw5niaXcmYQ==</Content-MD5><BlobType>BlockBlob</BlobType></Properties></Blob>
  <Blob><Name>m/1</Name><Properties><ResourceType>directory</ResourceType><Content-Length>0</Content-Length></Properties></Blob>
  <Blob><Name Encoded="true">m/%EF%BF%BE</Name><Properties><Etag>"0x2"</Etag><Content-Length>0</Content-Length>
    <Content-MD5/></Properties></Blob>
</Blobs><NextMarker>2!80</NextMarker></EnumerationResults>)";

TEST(AzureListingTest, APageHasItsBlobs) {
  const auto page = ReadAzurePage(kBlobs);
  ASSERT_TRUE(page.has_value()) << page.error().ToString();
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "m/a b+ü&c");
  EXPECT_EQ(page->objects[0].size, 5'000'000'000U);
  EXPECT_EQ(page->objects[0].tag, "\"0x8D1\"");
  EXPECT_EQ(page->objects[0].md5, "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(page->objects[1].key, "m/\xEF\xBF\xBE");
  EXPECT_EQ(page->objects[1].tag, "\"0x2\"");
  EXPECT_EQ(page->objects[1].md5, "");
  EXPECT_EQ(page->next_token, "2!80");
}

TEST(AzureListingTest, WhatIsNoPageIsRefused) {
  for (const char* text : {"", "text", "<Error/>", "<EnumerationResults><Blobs><Blob/></Blobs></EnumerationResults>",
                           "<EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs></EnumerationResults>"}) {
    const auto page = ReadAzurePage(text);
    ASSERT_FALSE(page.has_value()) << text;
    EXPECT_EQ(page.error().code(), base::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(ReadAzurePage("<EnumerationResults/>")->objects.empty());
}

TEST(AzureListingTest, OfAnErrorsMessageTheFirstLineIsShown) {
  EXPECT_EQ(
      ReadAzureError("<Error><Code>ContainerNotFound</Code><Message>There is none.\nRequestId:1</Message></Error>"),
      "ContainerNotFound: There is none.");
  EXPECT_EQ(ReadAzureError("no XML"), "");
}

}  // namespace
}  // namespace inferd::storage
