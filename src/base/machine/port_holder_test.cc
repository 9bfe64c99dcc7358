#include "base/machine/port_holder.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/file_descriptor.h"

namespace inferd::base {
namespace {

TEST(PortHolderTest, NamesTheProcess) {
  const FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const uint16_t port = ntohs(address.sin_port);
  EXPECT_EQ(DescribePortHolder(port), "");
  EXPECT_FALSE(FindPortHolder(port).has_value());  // nobody listens yet
  ASSERT_EQ(listen(fd.get(), 1), 0);
  const std::string text = DescribePortHolder(port);
  EXPECT_TRUE(text.starts_with("process " + std::to_string(getpid()) + " (")) << text;
  EXPECT_TRUE(text.ends_with(") has it")) << text;
  const auto holder = FindPortHolder(port);
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->process, getpid());
  EXPECT_FALSE(holder->name.empty());
  EXPECT_EQ(holder->user, std::to_string(getuid()));
}

}  // namespace
}  // namespace inferd::base
