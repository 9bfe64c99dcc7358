#include "kserve/apiserver/store/object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <new>
#include <thread>

#include "tests/support/temp_dir.h"

namespace inferd::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ObjectKey kKey{"things.example", "default", "a"};

ObjectStore::Write Put(ObjectKey key, int64_t expected, std::string text = "x") {
  return {.key = std::move(key), .expected = expected, .json = [text](int64_t revision) {
            return text + "@" + std::to_string(revision);
          }};
}

ObjectStore::Write Remove(ObjectKey key, int64_t expected) {
  ObjectStore::Write write = Put(std::move(key), expected, "gone");
  write.remove = true;
  return write;
}

ObjectKey Numbered(int number) { return {"things.example", "default", "n" + std::to_string(number)}; }

std::vector<std::string> Names(const ObjectStore::Listed& listed) {
  std::vector<std::string> names;
  for (const ObjectPtr& object : listed.objects) names.push_back(object->key.namespace_name + "/" + object->key.name);
  return names;
}

std::vector<std::string> Texts(const ObjectStore::Changes& changes) {
  static constexpr const char* kNames[] = {"+", "~", "-"};
  std::vector<std::string> texts;
  for (const Change& change : changes.changes) {
    texts.push_back(kNames[static_cast<size_t>(change.type)] + change.object->json);
  }
  return texts;
}

TEST(ObjectStore, WritesHoldWhatTheyExpect) {
  const auto store = *ObjectStore::Open("");
  EXPECT_EQ(store->Get(kKey), nullptr);
  const auto made = store->Commit(Put(kKey, 0));
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ((*made)->json, "x@" + std::to_string((*made)->revision));
  EXPECT_EQ(store->revision(), (*made)->revision);
  EXPECT_EQ(store->Commit(Put(kKey, 0)).error().code(), base::StatusCode::kAborted);
  EXPECT_EQ(store->Commit(Put(kKey, 77)).error().code(), base::StatusCode::kAborted);
  const auto changed = store->Commit(Put(kKey, (*made)->revision, "y"));
  ASSERT_TRUE(changed.has_value());
  EXPECT_GT((*changed)->revision, (*made)->revision);
  EXPECT_EQ(store->Commit(Remove(kKey, (*made)->revision)).error().code(), base::StatusCode::kAborted);
  ASSERT_TRUE(store->Commit(Remove(kKey, (*changed)->revision)).has_value());
  EXPECT_EQ(store->Get(kKey), nullptr);
  EXPECT_EQ(store->Commit(Remove(kKey, (*changed)->revision)).error().code(), base::StatusCode::kAborted);
}

TEST(ObjectStore, ListsByResourceAndNamespace) {
  const auto store = *ObjectStore::Open("");
  for (const ObjectKey& key : {ObjectKey{"b", "n2", "x"}, ObjectKey{"b", "n1", "y"}, ObjectKey{"b", "n1", "x"},
                               ObjectKey{"b", "n11", "z"}, ObjectKey{"ba", "n1", "x"}, ObjectKey{"a", "n1", "x"}}) {
    ASSERT_TRUE(store->Commit(Put(key, 0)).has_value());
  }
  EXPECT_THAT(Names(store->List("b", "")), ElementsAre("n1/x", "n1/y", "n11/z", "n2/x"));
  EXPECT_THAT(Names(store->List("b", "n1")), ElementsAre("n1/x", "n1/y"));
  EXPECT_THAT(Names(store->List("c", "")), ElementsAre());
}

TEST(ObjectStore, TellsWhatHasChanged) {
  const auto store = *ObjectStore::Open("");
  std::atomic<int> told = 0;
  const uint64_t id = store->Subscribe([&told] { ++told; });
  const int64_t begin = store->revision();
  const int64_t first = (*store->Commit(Put(kKey, 0)))->revision;
  const int64_t second = (*store->Commit(Put(kKey, first, "y")))->revision;
  ASSERT_TRUE(store->Commit(Put({"other", "", "o"}, 0, "o")).has_value());
  const int64_t last = (*store->Commit(Remove(kKey, second)))->revision;
  EXPECT_EQ(told, 4);
  store->Unsubscribe(id);
  const auto text = [](const std::string& name, int64_t revision) { return name + "@" + std::to_string(revision); };
  const auto all = *store->ChangesSince(begin, "things.example", 100);
  EXPECT_THAT(Texts(all), ElementsAre(text("+x", first), text("~y", second), text("-gone", last)));
  EXPECT_EQ(all.revision, last);
  const auto some = *store->ChangesSince(begin, "", 2);
  EXPECT_THAT(Texts(some), ElementsAre(text("+x", first), text("~y", second)));
  EXPECT_EQ(some.revision, second);
  EXPECT_THAT(Texts(*store->ChangesSince(last, "", 2)), ElementsAre());
  EXPECT_EQ(store->ChangesSince(last + 1, "", 2).error().code(), base::StatusCode::kOutOfRange);
}

TEST(ObjectStore, ForgetsWhatIsTooLongAgo) {
  const auto store = *ObjectStore::Open("", {.history_changes_max = 3});
  const int64_t begin = store->revision();
  for (int number = 0; number < 4; ++number) ASSERT_TRUE(store->Commit(Put(Numbered(number), 0)).has_value());
  const auto expired = store->ChangesSince(begin, "", 100);
  ASSERT_FALSE(expired.has_value());
  EXPECT_THAT(expired.error().message(), HasSubstr("too old resource version: " + std::to_string(begin)));
  EXPECT_EQ(store->ChangesSince(begin + 1, "", 100)->changes.size(), 3u);
}

TEST(ObjectStore, HasLimits) {
  const auto store = *ObjectStore::Open("", {.objects_max = 2, .object_bytes_max = 100, .bytes_max = 150});
  EXPECT_EQ(store->Commit(Put(kKey, 0, std::string(100, 'x'))).error().code(), base::StatusCode::kOutOfRange);
  ASSERT_TRUE(store->Commit(Put(Numbered(1), 0, std::string(90, 'x'))).has_value());
  EXPECT_EQ(store->Commit(Put(Numbered(2), 0, std::string(90, 'x'))).error().code(),
            base::StatusCode::kResourceExhausted);
  const auto second = store->Commit(Put(Numbered(2), 0));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(store->Commit(Put(Numbered(3), 0)).error().code(), base::StatusCode::kResourceExhausted);
  ASSERT_TRUE(store->Commit(Remove(Numbered(2), (*second)->revision)).has_value());
  EXPECT_TRUE(store->Commit(Put(Numbered(3), 0)).has_value());
}

TEST(ObjectStore, AWriteThatRunsOutOfMemoryFailsItsGroupAlone) {
  const auto store = *ObjectStore::Open("");
  std::atomic<bool> begun = false;
  std::atomic<bool> joined = false;
  ObjectStore::Write wide = Put(kKey, 0);
  wide.json = [&](int64_t) -> std::string {
    begun = true;
    while (!joined) std::this_thread::yield();
    throw std::bad_alloc();
  };
  base::Result<ObjectPtr> first = nullptr;
  std::thread writer([&] { first = store->Commit(wide); });
  while (!begun) std::this_thread::yield();
  // Other writes wait behind that group, or come later.
  base::Result<ObjectPtr> second = nullptr;
  std::thread other([&] {
    joined = true;
    second = store->Commit(Put(Numbered(1), 0));
  });
  writer.join();
  other.join();
  EXPECT_EQ(first.error(), base::ResourceExhausted("out of memory"));
  EXPECT_TRUE(second.has_value());
  EXPECT_EQ(store->Get(kKey), nullptr);
  EXPECT_TRUE(store->Commit(Put(kKey, 0)).has_value());
  EXPECT_EQ(store->List("things.example", "").objects.size(), 2u);
}

TEST(ObjectStore, AWriteWhoseSubscriberRunsOutOfMemoryIsDone) {
  const auto store = *ObjectStore::Open("");
  const uint64_t id = store->Subscribe([] { throw std::bad_alloc(); });
  EXPECT_TRUE(store->Commit(Put(kKey, 0)).has_value());
  store->Unsubscribe(id);
  EXPECT_TRUE(store->Commit(Put(Numbered(1), 0)).has_value());
  EXPECT_EQ(store->List("things.example", "").objects.size(), 2u);
}

TEST(ObjectStore, ItsFilesAreTheUsersAlone) {
  namespace fs = std::filesystem;
  const support::TempDir folder;
  const fs::path path = folder.path() / "objects.db";
  constexpr fs::perms kOwnerAlone = fs::perms::owner_read | fs::perms::owner_write;
  for (const bool was_open_to_all : {false, true}) {
    if (was_open_to_all) {
      std::ofstream(path.string() + "-wal") << "";
      for (const fs::directory_entry& file : fs::directory_iterator(folder.path())) {
        fs::permissions(file.path(), fs::perms::all);
      }
    }
    const auto store = *ObjectStore::Open(path);
    ASSERT_TRUE(store->Commit(Put(Numbered(was_open_to_all ? 1 : 0), 0)).has_value());
    int files = 0;
    for (const fs::directory_entry& file : fs::directory_iterator(folder.path())) {
      EXPECT_EQ(file.status().permissions(), kOwnerAlone) << file.path();
      ++files;
    }
    EXPECT_GE(files, 2) << "the log beside it";
  }
}

TEST(ObjectStore, KeepsEverythingOnDisk) {
  const support::TempDir folder;
  const std::string path = folder.path() / "objects.db";
  int64_t revision = 0;
  {
    const auto store = *ObjectStore::Open(path);
    for (int number = 0; number < 3; ++number) revision = (*store->Commit(Put(Numbered(number), 0)))->revision;
    revision = (*store->Commit(Remove(Numbered(1), store->Get(Numbered(1))->revision)))->revision;
    const auto second = ObjectStore::Open(path);
    ASSERT_FALSE(second.has_value());
    EXPECT_THAT(second.error().message(), HasSubstr("in use by another process"));
  }
  const auto store = *ObjectStore::Open(path);
  EXPECT_THAT(Names(store->List("things.example", "")), ElementsAre("default/n0", "default/n2"));
  EXPECT_EQ(store->revision(), revision);
  EXPECT_EQ(store->ChangesSince(revision - 1, "", 1).error().code(), base::StatusCode::kOutOfRange);
  EXPECT_GT((*store->Commit(Put(kKey, 0)))->revision, revision);
}

TEST(ObjectStore, RefusesWhatIsNoDatabase) {
  const support::TempDir folder;
  const std::string path = folder.path() / "objects.db";
  std::ofstream(path) << std::string(5000, 'x');
  EXPECT_EQ(ObjectStore::Open(path).error().code(), base::StatusCode::kUnavailable);
  EXPECT_FALSE(ObjectStore::Open(folder.path() / "none" / "objects.db").has_value());
}

TEST(ObjectStore, WritersAtTheSameTimeGetARevisionEach) {
  const support::TempDir folder;
  const auto store = *ObjectStore::Open(folder.path() / "objects.db");
  constexpr int kThreads = 8;
  constexpr int kWrites = 25;
  const int64_t begin = store->revision();
  std::atomic<int> won = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int number = 0; number < kWrites; ++number) {
        EXPECT_TRUE(store->Commit(Put(Numbered(thread * kWrites + number), 0)).has_value());
        // All threads want this key. Exactly one of them creates it.
        if (store->Commit(Put({"all", "", std::to_string(number)}, 0)).has_value()) ++won;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, kWrites);
  const auto changes = *store->ChangesSince(begin, "", 10'000);
  ASSERT_EQ(changes.changes.size(), static_cast<size_t>((kThreads + 1) * kWrites));
  for (size_t i = 0; i < changes.changes.size(); ++i) {
    EXPECT_EQ(changes.changes[i].object->revision, begin + 1 + static_cast<int64_t>(i));
  }
}

}  // namespace
}  // namespace inferd::apiserver
