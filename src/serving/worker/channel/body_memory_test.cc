#include "serving/worker/channel/body_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace inferd::worker {
namespace {

constexpr size_t kBytes = 1 << 20;

TEST(BodyMemoryTest, ABodyIsAlignedWhereAskedAndSeenByTheWorker) {
  const auto memory = *BodyMemory::Create(kBytes);
  const auto view = *BodyView::Open(memory->descriptor());
  ASSERT_EQ(view->area().size(), memory->area().size());
  for (const size_t align_at : {0, 1, 37, 64, 1000}) {
    base::Buffer body = memory->Allocate(100'000, align_at);
    ASSERT_TRUE(body);
    EXPECT_EQ(body.size(), 100'000u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(body.data() + align_at) % base::kBufferAlignment, 0u);
    std::memset(body.data(), 'x', body.size());
    const std::byte* theirs = view->area().data() + (body.data() - memory->area().data());
    EXPECT_EQ(std::memcmp(theirs, body.data(), body.size()), 0);
  }
}

TEST(BodyMemoryTest, WithoutRoomThereIsNoBuffer) {
  const auto memory = *BodyMemory::Create(kBytes);
  EXPECT_FALSE(memory->Allocate(kBytes, 0)) << "no room for what is behind its end";
  EXPECT_FALSE(memory->Allocate(kBytes + 1, 0));
  EXPECT_FALSE(memory->Allocate(SIZE_MAX, 7));
  base::Buffer first = memory->Allocate(kBytes / 2, 0);
  ASSERT_TRUE(first);
  EXPECT_FALSE(memory->Allocate(kBytes / 2, 0));
  const std::byte* where = first.data();
  first = {};
  EXPECT_EQ(memory->Allocate(kBytes / 2, 0).data(), where);
}

TEST(BodyMemoryTest, BodiesDoNotMeet) {
  const auto memory = *BodyMemory::Create(kBytes);
  base::Buffer a = memory->Allocate(1001, 0);
  base::Buffer b = memory->Allocate(1001, 63);
  ASSERT_TRUE(a && b);
  EXPECT_GE(b.data() - a.data(), static_cast<ptrdiff_t>(1001 + base::kBufferSlack));
}

TEST(BodyMemoryTest, TheWorkerCannotWriteToIt) {
  const auto memory = *BodyMemory::Create(kBytes);
  const auto view = *BodyView::Open(memory->descriptor());
  EXPECT_NE(mprotect(const_cast<std::byte*>(view->area().data()), kBytes, PROT_READ | PROT_WRITE), 0);
  // Neither the worker's descriptor nor one opened anew can be mapped for writing.
  const base::FileDescriptor anew(open(("/proc/self/fd/" + std::to_string(memory->descriptor())).c_str(), O_RDWR));
  for (const int descriptor : {memory->descriptor(), anew.get()}) {
    EXPECT_EQ(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), MAP_FAILED);
    EXPECT_EQ(pwrite(descriptor, "x", 1, 0), -1);
    EXPECT_NE(ftruncate(descriptor, 0), 0);
    EXPECT_NE(ftruncate(descriptor, 2 * kBytes), 0);
    EXPECT_NE(fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, kBytes), 0);
  }
}

TEST(BodyMemoryTest, ABodyKeepsTheMemory) {
  auto memory = *BodyMemory::Create(kBytes);
  base::Buffer body = memory->Allocate(1000, 0);
  const std::weak_ptr<BodyMemory> watched = memory;
  memory = nullptr;
  std::memset(body.data(), 'x', body.size());
  EXPECT_FALSE(watched.expired());
  body = {};
  EXPECT_TRUE(watched.expired());
}

TEST(BodyMemoryTest, ThreadsTakeAndDropBodiesAtTheSameTime) {
  const auto memory = *BodyMemory::Create(kBytes);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&memory, i] {
      for (int round = 0; round < 500; ++round) {
        const std::string mine(10'000 + static_cast<size_t>(round), static_cast<char>('a' + i));
        base::Buffer body = memory->Allocate(mine.size(), static_cast<size_t>(round));
        ASSERT_TRUE(body);
        std::memcpy(body.data(), mine.data(), mine.size());
        EXPECT_EQ(std::memcmp(body.data(), mine.data(), mine.size()), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(memory->Allocate(kBytes - base::kBufferSlack, 0)) << "all of it came back";
}

}  // namespace
}  // namespace inferd::worker
