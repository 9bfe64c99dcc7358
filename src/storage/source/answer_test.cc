#include "storage/source/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(AnswerTest, TheSecretsOfARequestAreThoseOfItsHeadersParametersAndForm) {
  const FetchRequest request{.method = "POST",
                             .url = "https://host/models?prefix=a&sig=s%2Fg",
                             .headers = {{"Authorization", "Bearer token-of-8"}, {"x-ms-version", "2021"}},
                             .body = "grant_type=client_credentials&client_secret=se%2Bcret&assertion=a.b.c"};
  EXPECT_THAT(SecretsIn(request),
              UnorderedElementsAre("token-of-8", "s/g", "s%2Fg", "se+cret", "se%2Bcret", "a.b.c", "a.b.c"));
}

TEST(AnswerTest, WhatIsNoParameterIsNoSecret) {
  for (const char* url : {"https://host/sig", "https://host?", "https://host?sig", "https://host?&&a=b"}) {
    for (const std::string& secret : SecretsIn({.url = url})) EXPECT_THAT(secret, IsEmpty()) << url;
  }
}

}  // namespace
}  // namespace inferd::storage
