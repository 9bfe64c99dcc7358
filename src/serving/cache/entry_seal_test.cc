#include "serving/cache/entry_seal.h"

#include <gtest/gtest.h>

namespace inferd::cache {
namespace {

TEST(EntrySealTest, WhatWasSealedIsThere) {
  for (const std::string& entry : {std::string(), std::string("a"), std::string(100'000, 'x')}) {
    std::string sealed = entry;
    Seal(sealed);
    EXPECT_EQ(Unseal(sealed), entry);
  }
}

TEST(EntrySealTest, WhatWasChangedIsNot) {
  std::string sealed = "a key and a response";
  Seal(sealed);
  for (size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    std::string changed = sealed;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(Unseal(changed), std::nullopt) << bit;
  }
  for (size_t size = 0; size < sealed.size(); ++size) EXPECT_EQ(Unseal(sealed.substr(0, size)), std::nullopt);
  EXPECT_EQ(Unseal(sealed + "x"), std::nullopt);
}

}  // namespace
}  // namespace inferd::cache
