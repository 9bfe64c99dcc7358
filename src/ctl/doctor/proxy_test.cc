#include "ctl/doctor/proxy.h"

#include <gmock/gmock.h>

#include <map>

namespace inferd::ctl {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Level = Finding::Level;

Finding Judge(const std::map<std::string, std::string>& variables, const std::string& host = "127.0.0.1",
              bool tls = false) {
  return JudgeProxy(host, tls, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  });
}

TEST(ProxyTest, WithoutAProxyNothingIsToDo) {
  EXPECT_EQ(Judge({}).level, Level::kOk);
  EXPECT_EQ(Judge({{"https_proxy", "http://p"}}).level, Level::kOk) << "the server has no TLS";
  EXPECT_EQ(Judge({{"no_proxy", "x"}}).level, Level::kOk);
}

TEST(ProxyTest, AProxyThatCatchesLocalhostIsAProblem) {
  const Finding finding = Judge({{"http_proxy", "http://proxy.example:3128/"}});
  EXPECT_EQ(finding.level, Level::kProblem);
  EXPECT_THAT(finding.found, HasSubstr("http_proxy sends requests for 127.0.0.1 to http://proxy.example:3128/"));
  EXPECT_EQ(finding.to_do, "export no_proxy=127.0.0.1,localhost");
  EXPECT_EQ(Judge({{"ALL_PROXY", "socks5://p"}}).level, Level::kProblem);
  EXPECT_EQ(Judge({{"HTTPS_PROXY", "p:1"}}, "h", true).level, Level::kProblem);
}

TEST(ProxyTest, ExemptionsCount) {
  EXPECT_EQ(Judge({{"http_proxy", "http://p"}, {"no_proxy", "localhost,127.0.0.1"}}).level, Level::kOk);
  EXPECT_EQ(Judge({{"http_proxy", "http://p"}, {"NO_PROXY", "*"}}).level, Level::kOk);
  const Finding some = Judge({{"http_proxy", "http://p"}, {"NO_PROXY", "127.0.0.1,other"}});
  EXPECT_EQ(some.level, Level::kProblem);
  EXPECT_EQ(some.to_do, "export NO_PROXY=$NO_PROXY,localhost");
  EXPECT_THAT(Judge({{"http_proxy", "http://p"}, {"no_proxy", "localhost,127.0.0.1"}}, "gpu.example").to_do,
              HasSubstr("gpu.example"));
}

TEST(ProxyTest, PasswordsAreNotRepeated) {
  for (const char* url : {"http://me:s3cret@proxy:3128", "me:s3cret@proxy", "http://me:s3cr@s3cret@proxy/x"}) {
    const Finding finding = Judge({{"http_proxy", url}});
    EXPECT_THAT(finding.found, Not(HasSubstr("s3cret"))) << url;
    EXPECT_THAT(finding.found, HasSubstr("proxy")) << url;
  }
}

TEST(ProxyTest, ListsHaveNamesDomainsAndNetworks) {
  EXPECT_TRUE(IsExempt("a, localhost", "localhost"));
  EXPECT_TRUE(IsExempt("a localhost:8000", "localhost"));
  EXPECT_TRUE(IsExempt(".example.com", "gpu.example.com"));
  EXPECT_TRUE(IsExempt("example.com", "gpu.example.com"));
  EXPECT_FALSE(IsExempt("ample.com", "gpu.example.com"));
  EXPECT_TRUE(IsExempt("127.0.0.0/8", "127.0.0.1"));
  EXPECT_TRUE(IsExempt("0.0.0.0/0", "8.8.8.8"));
  EXPECT_FALSE(IsExempt("10.0.0.0/8", "127.0.0.1"));
  EXPECT_FALSE(IsExempt("10.0.0.0/99,x/8,/", "127.0.0.1"));
  EXPECT_TRUE(IsExempt("::1", "::1"));
  EXPECT_TRUE(IsExempt("[::1]:8000", "::1"));
  EXPECT_FALSE(IsExempt("", "localhost"));
  EXPECT_FALSE(IsExempt(",,. ,", "localhost"));
}

}  // namespace
}  // namespace inferd::ctl
