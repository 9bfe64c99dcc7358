#include "protocols/rpc/retry_info.h"

#include <gtest/gtest.h>

namespace inferd::rpc {
namespace {

// Encoded by hand from the published .proto files.
TEST(RetryInfoTest, IsAGoogleRpcStatus) {
  using namespace std::string_literals;
  const std::string delay = "\x08\x02\x10\x80\xe5\x9a\x77"s;  // 2 s, 250 000 000 ns
  const std::string info = "\x0a\x07"s + delay;
  const std::string url = "type.googleapis.com/google.rpc.RetryInfo";
  const std::string any = "\x0a\x28"s + url + "\x12\x09" + info;
  EXPECT_EQ(RetryDetails(base::ResourceExhausted("full"), 2'250), "\x08\x08\x12\x04"s + "full" + "\x1a\x35" + any);
}

}  // namespace
}  // namespace inferd::rpc
