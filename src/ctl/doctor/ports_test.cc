#include "ctl/doctor/ports.h"

#include <gmock/gmock.h>

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/file_descriptor.h"

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using Level = Finding::Level;

class PortsTest : public ::testing::Test {
 protected:
  PortsTest() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }

  Finding Judge() const { return JudgePorts({{port_, "HTTP", "--http-port"}}, server_).front(); }

  base::FileDescriptor fd_;
  uint16_t port_ = 0;
  pid_t server_ = 0;
};

TEST_F(PortsTest, APortOfAnotherProgramIsAProblem) {
  ASSERT_EQ(listen(fd_.get(), 1), 0);
  EXPECT_EQ(Judge().subject, "port " + std::to_string(port_) + " (HTTP)");
  EXPECT_EQ(Judge().level, Level::kProblem);
  EXPECT_THAT(Judge().found, HasSubstr("process " + std::to_string(getpid())));
  EXPECT_EQ(Judge().to_do, "stop it, or choose another port: inferd --http-port");
  EXPECT_EQ(ServerOn(port_, false), 0);
}

TEST_F(PortsTest, AServerByAnotherNameIsGood) {
  ASSERT_EQ(listen(fd_.get(), 1), 0);
  server_ = ServerOn(port_, true);
  EXPECT_EQ(server_, getpid());
  EXPECT_EQ(Judge().level, Level::kOk);
}

TEST_F(PortsTest, APortOfAServerIsGood) {
  ASSERT_EQ(listen(fd_.get(), 1), 0);
  char name[16] = {};
  prctl(PR_GET_NAME, name);
  prctl(PR_SET_NAME, "inferd");
  EXPECT_EQ(Judge().level, Level::kOk);
  EXPECT_THAT(Judge().found, HasSubstr("(inferd) has it"));
  EXPECT_EQ(ServerOn(port_, false), getpid());
  prctl(PR_SET_NAME, name);
}

TEST_F(PortsTest, APortThatNobodyListensOnButIsHeldIsAProblem) {
  EXPECT_EQ(Judge().level, Level::kProblem);
  EXPECT_THAT(Judge().found, HasSubstr("cannot be seen"));
}

TEST_F(PortsTest, AFreePortIsGood) {
  fd_ = base::FileDescriptor();
  EXPECT_EQ(Judge().level, Level::kOk);
  EXPECT_EQ(Judge().found, "free");
}

}  // namespace
}  // namespace inferd::ctl
