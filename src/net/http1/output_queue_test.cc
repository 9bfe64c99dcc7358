#include "net/http1/output_queue.h"

#include <gtest/gtest.h>

namespace inferd::net::http1 {
namespace {

std::string Text(const std::vector<base::BufferSlice>& pieces) {
  std::string text;
  for (const base::BufferSlice& piece : pieces) text += piece.view();
  return text;
}

TEST(OutputQueueTest, KeepsOrderAndCounts) {
  OutputQueue queue;
  queue.Push("head ");
  queue.Push(base::BufferSlice(base::Buffer::CopyOf("body ")));
  queue.Push("");
  queue.Push("tail");
  EXPECT_EQ(queue.bytes(), 14u);
  std::vector<base::BufferSlice> out;
  EXPECT_EQ(queue.Take(out, 6), 10u);
  EXPECT_EQ(queue.Take(out, 6), 4u);
  EXPECT_EQ(queue.Take(out, 6), 0u);
  EXPECT_EQ(Text(out), "head body tail");
  queue.Written(10);
  EXPECT_EQ(queue.bytes(), 4u);
}

TEST(OutputQueueTest, ABodyIsPassedOnAndNotCopied) {
  OutputQueue queue;
  const base::Buffer body = base::Buffer::CopyOf("body");
  queue.Push(base::BufferSlice(body));
  std::vector<base::BufferSlice> out;
  queue.Take(out, 100);
  EXPECT_EQ(out[0].data(), body.data());
}

TEST(OutputQueueTest, TextsStayPutUntilWritten) {
  OutputQueue queue;
  std::string expected;
  std::vector<base::BufferSlice> out;
  for (int i = 0; i < 300; ++i) {
    const std::string text = "text number " + std::to_string(i) + "\n";
    queue.Push(text);
    expected += text;
    if (i % 10 == 0) queue.Take(out, 1000);
  }
  while (queue.Take(out, 1000) > 0) {
  }
  EXPECT_EQ(Text(out), expected);
  queue.Written(expected.size());
  EXPECT_EQ(queue.bytes(), 0u);
  out.clear();
  queue.Push("again");
  queue.Take(out, 10);
  EXPECT_EQ(Text(out), "again");
}

}  // namespace
}  // namespace inferd::net::http1
