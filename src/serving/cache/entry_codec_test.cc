#include "serving/cache/entry_codec.h"

#include <gtest/gtest.h>

#include <random>

#include "data/tensor/raw.h"
#include "serving/cache/cache_fixture.h"

namespace inferd::cache {
namespace {

class EntryCodecTest : public ::testing::Test {
 protected:
  std::unique_ptr<StoredKey> Key(std::string_view bytes) {
    core::QueuedRequest queued = model_.Queue(CachedModel::Request(bytes), [](core::InferResponse&&) {});
    auto key = std::make_unique<StoredKey>(RequestKey("s", "", queued, secret_));
    queued.Fail(base::Cancelled("test"));
    return key;
  }
  static std::shared_ptr<const CachedResponse> Response() {
    core::InferResponse response;
    response.parameters = {{"i", int64_t{-1}}, {"u", uint64_t{1} << 63}, {"d", 0.5}, {"b", true}, {"s", "text"}};
    response.outputs.push_back({.name = "A",
                                .datatype = tensor::DataType::kInt32,
                                .shape = {2, 1},
                                .data = base::BufferSlice(base::Buffer::CopyOf("12345678")),
                                .parameters = {{"p", int64_t{3}}}});
    response.outputs.push_back({.name = "a text",
                                .datatype = tensor::DataType::kBytes,
                                .shape = {1},
                                .data = base::BufferSlice(base::Buffer::CopyOf(std::string_view("\2\0\0\0xy", 6))),
                                .parameters = {}});
    response.outputs.push_back(
        {.name = "none", .datatype = tensor::DataType::kFp32, .shape = {0, 7}, .data = {}, .parameters = {}});
    return CachedResponse::CopyOf(response);
  }

  base::FakeClock clock_;
  const KeySecret secret_;
  LocalStore store_{{.bytes_max = 1}, clock_};
  CachedModel model_{store_, secret_, clock_, [](core::QueuedRequest&&) {}};
};

TEST_F(EntryCodecTest, WhatWasWrittenIsRead) {
  const auto key = Key("abc");
  const auto before = Response();
  const auto after = DecodeEntry(EncodeEntry(*key, *before), *key);
  ASSERT_NE(after, nullptr);
  EXPECT_EQ(after->parameters(), before->parameters());
  ASSERT_EQ(after->outputs().size(), before->outputs().size());
  for (size_t i = 0; i < before->outputs().size(); ++i) {
    const core::InferTensor& a = before->outputs()[i];
    const core::InferTensor& b = after->outputs()[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.datatype, b.datatype);
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.data.view(), b.data.view());
    EXPECT_EQ(a.parameters, b.parameters);
  }
}

TEST_F(EntryCodecTest, AnotherKeyIsNoHit) {
  const std::string entry = EncodeEntry(*Key("abc"), *Response());
  EXPECT_NE(DecodeEntry(entry, *Key("abc")), nullptr);
  EXPECT_EQ(DecodeEntry(entry, *Key("abd")), nullptr);
  EXPECT_EQ(DecodeEntry(entry, *Key("abcd")), nullptr);
}

TEST_F(EntryCodecTest, WhatIsCutOrTooLongIsNoEntry) {
  const auto key = Key("abc");
  const std::string entry = EncodeEntry(*key, *Response());
  for (size_t size = 0; size < entry.size(); ++size) EXPECT_EQ(DecodeEntry(entry.substr(0, size), *key), nullptr);
  EXPECT_EQ(DecodeEntry(entry + "x", *key), nullptr);
}

// Changed bytes never cause a crash, or a tensor whose bytes do not match its shape.
TEST_F(EntryCodecTest, WhatIsChangedIsNoEntryOrOneThatCanBeRead) {
  const auto key = Key("abc");
  const std::string entry = EncodeEntry(*key, *Response());
  std::mt19937_64 random(1);
  size_t read = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string changed = entry;
    for (uint64_t n = 1 + random() % 3; n > 0; --n) changed[random() % changed.size()] = static_cast<char>(random());
    const auto response = DecodeEntry(changed, *key);
    if (response == nullptr) continue;
    ++read;
    for (const core::InferTensor& output : response->outputs()) {
      EXPECT_TRUE(tensor::CheckRaw(output.datatype, output.shape, output.data.bytes()).ok());
    }
  }
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace inferd::cache
