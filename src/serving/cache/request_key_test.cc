#include "serving/cache/request_key.h"

#include <gtest/gtest.h>

#include <cstring>

#include "serving/cache/cache_fixture.h"

namespace inferd::cache {
namespace {

class RequestKeyTest : public ::testing::Test {
 protected:
  struct Key {
    core::QueuedRequest queued;
    std::unique_ptr<RequestKey> key;
    std::unique_ptr<StoredKey> stored;

    Key() = default;
    Key(Key&&) = default;
    ~Key() {
      if (queued.request != nullptr) queued.Fail(base::Cancelled("test"));
    }
  };
  Key Make(std::unique_ptr<core::InferRequest> request, std::string_view scope = "s", std::string_view state = "") {
    Key made;
    made.queued = model_.Queue(std::move(request), [](core::InferResponse&&) {});
    made.key = std::make_unique<RequestKey>(scope, state, made.queued, secret_);
    made.stored = std::make_unique<StoredKey>(*made.key);
    return made;
  }
  static std::unique_ptr<core::InferRequest> Two(const char* first, const char* second, bool turned = false) {
    auto request = CachedModel::Request(first);
    auto other = CachedModel::Request(second);
    other->inputs[0].name = "B";
    request->inputs.push_back(std::move(other->inputs[0]));
    if (turned) std::swap(request->inputs[0], request->inputs[1]);
    return request;
  }
  static bool Same(const Key& a, const Key& b) {
    EXPECT_EQ(a.stored->Equals(*b.key), a.key->hash() == b.key->hash());
    EXPECT_EQ(a.stored->Equals(*b.key), b.stored->Equals(*a.key));
    return a.stored->Equals(*b.key);
  }

  base::FakeClock clock_;
  const KeySecret secret_;
  LocalStore store_{{.bytes_max = 1 << 20}, clock_};
  CachedModel model_{store_, secret_, clock_, [](core::QueuedRequest&&) {}};
};

TEST_F(RequestKeyTest, EqualRequestsHaveEqualKeys) {
  auto request = Two("ab", "c");
  request->id = "1";
  request->priority = 3;
  request->timeout_us = 7;
  request->deadline_ns = 9;
  request->traceparent = "t";
  request->inputs[0].parameters = {{"binary_data_size", int64_t{2}}};
  request->outputs = {{.name = "A", .parameters = {{"classification", int64_t{2}}}}, {.name = "B"}};
  EXPECT_TRUE(Same(Make(std::move(request)), Make(Two("ab", "c", true))));
}

TEST_F(RequestKeyTest, TheOrderOfParametersIsNone) {
  auto a = Two("a", "b");
  auto b = Two("a", "b");
  a->parameters = {{"x", int64_t{1}}, {"y", std::string("z")}};
  b->parameters = {{"y", std::string("z")}, {"x", int64_t{1}}};
  EXPECT_TRUE(Same(Make(std::move(a)), Make(std::move(b))));
}

TEST_F(RequestKeyTest, OneDifferenceIsEnough) {
  const auto with = [](auto change) {
    auto request = Two("abcd", "e");
    change(*request);
    return request;
  };
  std::vector<Key> keys;
  keys.push_back(Make(Two("abcd", "e")));
  keys.push_back(Make(Two("abcd", "e"), "other"));
  keys.push_back(Make(Two("abcd", "e"), "s", "state"));
  keys.push_back(Make(Two("abcd", "e"), "sstate", ""));
  keys.push_back(Make(Two("abce", "e")));
  keys.push_back(Make(Two("abc", "de")));
  keys.push_back(Make(Two("abcd", "")));
  keys.push_back(Make(CachedModel::Request("abcd")));
  keys.push_back(Make(with([](auto& request) { request.inputs[0].shape = {2, 2}; })));
  keys.push_back(Make(with([](auto& request) { request.inputs[0].shape = {4, 1}; })));
  keys.push_back(Make(with([](auto& request) { request.outputs = {{.name = "A"}}; })));
  keys.push_back(Make(with([](auto& request) { request.outputs = {{.name = "B"}}; })));
  keys.push_back(Make(with([](auto& request) { request.outputs = {{.name = "B"}, {.name = "A"}}; })));
  for (const core::Parameters& parameters :
       {core::Parameters{{"p", int64_t{1}}}, core::Parameters{{"p", uint64_t{1}}}, core::Parameters{{"p", true}},
        core::Parameters{{"p", 1.0}}, core::Parameters{{"p", std::string("1")}}, core::Parameters{{"q", int64_t{1}}},
        core::Parameters{{"p", int64_t{1}}, {"q", int64_t{1}}}}) {
    keys.push_back(Make(with([&](auto& request) { request.parameters = parameters; })));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) EXPECT_EQ(Same(keys[i], keys[j]), i == j) << i << " " << j;
  }
}

// The hash is the same in one pass and in pieces.
TEST_F(RequestKeyTest, LargeInputsAreTheSame) {
  const std::string large(100'000, 'x');
  std::string other = large;
  other.back() = 'y';
  EXPECT_TRUE(Same(Make(Two(large.c_str(), "a")), Make(Two(large.c_str(), "a", true))));
  EXPECT_FALSE(Same(Make(Two(large.c_str(), "a")), Make(Two(other.c_str(), "a"))));
}

TEST_F(RequestKeyTest, AnotherSecretIsAnotherHash) {
  const Key key = Make(Two("a", "b"));
  const KeySecret other;
  EXPECT_FALSE(RequestKey("s", "", key.queued, other).hash() == key.key->hash());
  EXPECT_TRUE(RequestKey("s", "", key.queued, secret_).hash() == key.key->hash());
  const KeySecret named("name");
  const KeySecret again("name");
  EXPECT_TRUE(RequestKey("s", "", key.queued, named).hash() == RequestKey("s", "", key.queued, again).hash());
}

TEST_F(RequestKeyTest, WhatIsStoredIsACopyThatEnginesCanTake) {
  Key key = Make(Two("abcd", "e", true));
  ASSERT_EQ(key.stored->input_count(), 2u);
  EXPECT_EQ(key.stored->input(0).view(), "abcd");
  EXPECT_EQ(key.stored->input(1).view(), "e");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(key.stored->input(1).data()) % base::kBufferAlignment, 0u);
  base::Buffer memory = key.queued.request->inputs[1].data.owner();
  std::memset(memory.data(), 'z', memory.size());
  EXPECT_EQ(key.stored->input(0).view(), "abcd");
  EXPECT_FALSE(key.stored->Equals(RequestKey("s", "", key.queued, secret_)));
}

}  // namespace
}  // namespace inferd::cache
