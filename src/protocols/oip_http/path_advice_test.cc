#include "protocols/oip_http/path_advice.h"

#include <gmock/gmock.h>

#include <vector>

namespace inferd::oip_http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string_view> Split(std::string_view path) {
  std::vector<std::string_view> segments;
  for (std::string_view rest = path.substr(1);;) {
    const size_t slash = rest.find('/');
    segments.push_back(rest.substr(0, slash));
    if (slash == std::string_view::npos) return segments;
    rest.remove_prefix(slash + 1);
  }
}

std::string Advice(std::string_view path) { return PathAdvice(path, Split(path)); }

TEST(PathAdviceTest, NamesThePathThatWasMeant) {
  const std::vector<std::pair<std::string_view, std::string>> cases = {
      {"/v2/model/digits/infer", "/v2/models/digits/infer"},
      {"/v2/models/digits/infr", "/v2/models/digits/infer"},
      {"/v2/models/digits/predict", "/v2/models/digits/infer"},
      {"/v2/models/digits/version/1/infer", "/v2/models/digits/versions/1/infer"},
      {"/models/digits/infer", "/v2/models/digits/infer"},
      {"/v2/digits/infer", "/v2/models/digits/infer"},
      {"/v2/health/redy", "/v2/health/ready"},
      {"/v2/models/digits/infer/", "/v2/models/digits/infer"},
      {"/models", "/v2/models"},
  };
  for (const auto& [path, meant] : cases) {
    EXPECT_EQ(Advice(path), "no protocol has the path '" + std::string(path) + "' (did you mean '" + meant + "'?)");
  }
}

TEST(PathAdviceTest, NamesAllProtocolsForOtherPaths) {
  for (const char* path : {"/docs", "/", "/index.html", "/v2/models//infer", "/a/b/c/d/e/f/g/h/i/j"}) {
    EXPECT_THAT(Advice(path), HasSubstr("V2: /v2/models/NAME/infer. ")) << path;
  }
}

TEST(PathAdviceTest, IsBoundedAndPrintable) {
  const std::string long_path = "/v2/model/" + std::string(100'000, '\x1b') + "/infer";
  EXPECT_LT(Advice(long_path).size(), 1500);
  EXPECT_THAT(Advice(long_path), Not(HasSubstr("\x1b")));
}

TEST(PathAdviceTest, NamesTheMethodOrTheOtherProtocol) {
  EXPECT_EQ(MethodAdvice("POST", Split("/v2/models/m/infer")), "this path takes POST");
  EXPECT_EQ(MethodAdvice("GET, HEAD", Split("/v2/models/m:predict")), "did you mean '/v1/models/m:predict'?");
}

}  // namespace
}  // namespace inferd::oip_http
