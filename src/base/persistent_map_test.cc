#include "base/persistent_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/support/allocated_bytes.h"

namespace inferd::base {
namespace {

template <typename Map>
std::map<std::string, int> Contents(const Map& map) {
  std::map<std::string, int> contents;
  map.ForEach([&](const std::string& name, int value) { contents.emplace(name, value); });
  return contents;
}

PersistentMap<int> Numbered(int count) {
  PersistentMap<int> map;
  for (int i = 0; i < count; ++i) map = map.With("name_" + std::to_string(i), i);
  return map;
}

TEST(PersistentMapTest, AChangeLeavesWhatItWasMadeFromAsItWas) {
  const PersistentMap<int> empty;
  const PersistentMap<int> one = empty.With("a", 1);
  const PersistentMap<int> two = one.With("b", 2);
  const PersistentMap<int> changed = two.With("a", 3);
  const PersistentMap<int> gone = changed.Without("b");
  EXPECT_EQ(Contents(empty), (std::map<std::string, int>{}));
  EXPECT_EQ(Contents(one), (std::map<std::string, int>{{"a", 1}}));
  EXPECT_EQ(Contents(two), (std::map<std::string, int>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(Contents(changed), (std::map<std::string, int>{{"a", 3}, {"b", 2}}));
  EXPECT_EQ(Contents(gone), (std::map<std::string, int>{{"a", 3}}));
  EXPECT_EQ(gone.Find("b"), nullptr);
  EXPECT_EQ(Contents(gone.Without("nothing of that name")), Contents(gone));
  EXPECT_TRUE(gone.Without("a").empty());
}

struct FewHashes {
  size_t operator()(std::string_view name) const { return name.size() + static_cast<unsigned char>(name.back()) % 2; }
};

template <typename Map>
void CompareOverRandomChanges() {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  Map map;
  std::map<std::string, int> expected;
  for (int step = 0; step < 20'000; ++step) {
    const std::string name = std::to_string(random() % 700);
    if (random() % 3 == 0) {
      map = map.Without(name);
      expected.erase(name);
    } else {
      map = map.With(name, step);
      expected[name] = step;
    }
    ASSERT_EQ(map.size(), expected.size());
    const int* const found = map.Find(name);
    ASSERT_EQ(found != nullptr, expected.contains(name));
    if (found != nullptr) {
      ASSERT_EQ(*found, expected[name]);
    }
  }
  EXPECT_EQ(Contents(map), expected);
}

TEST(PersistentMapTest, IsLikeAnOrdinaryMapOverRandomChanges) { CompareOverRandomChanges<PersistentMap<int>>(); }

TEST(PersistentMapTest, NamesOfOneHashAreToldApart) { CompareOverRandomChanges<PersistentMap<int, FewHashes>>(); }

// Returns the bytes that one change to a map of `count` entries allocates.
size_t BytesOfAChange(int count) {
  const PersistentMap<int> map = Numbered(count);
  const size_t before = inferd::support::AllocatedBytes();
  const PersistentMap<int> changed = map.With("name_0", 1);
  return inferd::support::AllocatedBytes() - before;
}

TEST(PersistentMapTest, AChangeCopiesOnePathWhateverTheSize) {
  constexpr size_t kLevelBytesMax = 400;  // a branch of 16 references, and the allocator's overhead
  const size_t small = BytesOfAChange(1'000);
  const size_t large = BytesOfAChange(64'000);
  EXPECT_LT(small, 5 * kLevelBytesMax);
  EXPECT_LE(large, small + 3 * kLevelBytesMax);
}

}  // namespace
}  // namespace inferd::base
