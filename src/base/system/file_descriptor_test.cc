#include "base/system/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace inferd::base {
namespace {

int OpenSomething() { return open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool IsOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(FileDescriptorTest, HasNoneByDefault) {
  const FileDescriptor none;
  EXPECT_FALSE(none);
  EXPECT_EQ(none.get(), -1);
}

TEST(FileDescriptorTest, ClosesWhatItOwns) {
  const int fd = OpenSomething();
  {
    const FileDescriptor owner(fd);
    EXPECT_TRUE(owner);
    EXPECT_TRUE(IsOpen(fd));
  }
  EXPECT_FALSE(IsOpen(fd));
}

TEST(FileDescriptorTest, HandsItOn) {
  const int first = OpenSomething();
  const int second = OpenSomething();
  FileDescriptor from(first);
  FileDescriptor to(second);
  to = std::move(from);
  EXPECT_EQ(to.get(), first);
  EXPECT_FALSE(from);  // NOLINT(bugprone-use-after-move): the state after a move is specified
  EXPECT_FALSE(IsOpen(second));
  to.Close();
  EXPECT_FALSE(to);
  EXPECT_FALSE(IsOpen(first));
}

}  // namespace
}  // namespace inferd::base
