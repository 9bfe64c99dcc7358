#include "protocols/oip_http/region_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/device_memory.h"
#include "protocols/clientshm/shared_object_fixture.h"
#include "tests/support/far_memory.h"

namespace inferd::oip_http {
namespace {

using ::testing::HasSubstr;

class RegionCallsTest : public ::testing::Test {
 protected:
  std::string Call(net::Method method, std::vector<std::string_view> path, std::string_view body = "") {
    path.insert(path.begin(), "v2");
    const RouteResult found = FindRoute(method, path);
    EXPECT_TRUE(found.found) << path.back();
    EXPECT_EQ(GroupOf(found.route.endpoint), access::Group::kSharedMemory);
    EXPECT_EQ(ControlOf(found.route.endpoint, method).has_value(), method == net::Method::kPost);
    const net::HttpResponse response = AnswerRegionCall(options_, registry_, found.route, body);
    std::string text = std::to_string(response.status) + " ";
    for (const base::BufferSlice& piece : response.body) text += piece.view();
    return text;
  }
  std::string Get(std::vector<std::string_view> path) { return Call(net::Method::kGet, std::move(path)); }
  std::string Post(std::vector<std::string_view> path, std::string_view body = "") {
    return Call(net::Method::kPost, std::move(path), body);
  }

  const support::SharedObject object_{4096};
  const Options options_;
  clientshm::Registry own_{clientshm::Limits{}};
  clientshm::Registry* registry_ = &own_;
};

TEST_F(RegionCallsTest, RegionsComeAndGo) {
  EXPECT_EQ(Get({"systemsharedmemory", "status"}), "200 []");
  const std::string body = R"({"key":")" + object_.key() + R"(","offset":8,"byte_size":64,"more":[1]})";
  EXPECT_EQ(Post({"systemsharedmemory", "region", "r", "register"}, body), "200 ");
  const std::string r = R"([{"name":"r","key":")" + object_.key() + R"(","offset":8,"byte_size":64}])";
  EXPECT_EQ(Get({"systemsharedmemory", "status"}), "200 " + r);
  EXPECT_EQ(Get({"systemsharedmemory", "region", "r", "status"}), "200 " + r);
  EXPECT_THAT(Get({"systemsharedmemory", "region", "s", "status"}), HasSubstr("404 "));
  EXPECT_THAT(Post({"systemsharedmemory", "region", "r", "register"}, body), HasSubstr("409 "));
  EXPECT_EQ(Post({"systemsharedmemory", "region", "r", "unregister"}), "200 ");
  EXPECT_EQ(Post({"systemsharedmemory", "region", "r", "register"}, body), "200 ");
  EXPECT_EQ(Post({"systemsharedmemory", "unregister"}), "200 ");
  EXPECT_EQ(Get({"systemsharedmemory", "status"}), "200 []");
}

TEST_F(RegionCallsTest, BodiesAreCheckedMemberByMember) {
  const auto refusal = [this](std::string_view body) {
    return Post({"systemsharedmemory", "region", "r", "register"}, body);
  };
  EXPECT_THAT(refusal(""), HasSubstr("Shared memory register request has no 'key' field"));
  EXPECT_THAT(refusal(R"({"key":"/k"})"), HasSubstr("Shared memory register request has no 'byte_size' field"));
  EXPECT_THAT(refusal(R"({"key":1,"byte_size":1})"), HasSubstr("key: "));
  EXPECT_THAT(refusal(R"({"key":"/k","byte_size":-1})"), HasSubstr("byte_size: "));
  EXPECT_THAT(refusal(R"({"key":"/k","byte_size":1,"offset":0.5})"), HasSubstr("offset: "));
  EXPECT_THAT(refusal(R"({"key":"/k","byte_size":1} x)"), HasSubstr("400 "));
  EXPECT_THAT(Post({"systemsharedmemory", "register"}, "{}"), HasSubstr("'region name' is necessary"));
}

TEST_F(RegionCallsTest, RegionsOnDevicesComeAndGo) {
  support::FarMemory& far = support::FarMemory::New();
  far.Export(std::string(base::kDeviceHandleBytes, '\0'), "0123456789");
  const std::string zeros = std::string(86, 'A') + "==";
  EXPECT_EQ(Get({"cudasharedmemory", "status"}), "200 []");
  const std::string body = R"({"raw_handle":{"b64":")" + zeros + R"("},"device_id":1,"byte_size":8})";
  EXPECT_EQ(Post({"cudasharedmemory", "region", "r", "register"}, body), "200 ");
  const std::string r = R"([{"name":"r","device_id":1,"byte_size":8}])";
  EXPECT_EQ(Get({"cudasharedmemory", "status"}), "200 " + r);
  EXPECT_EQ(Get({"cudasharedmemory", "region", "r", "status"}), "200 " + r);
  EXPECT_EQ(Get({"systemsharedmemory", "status"}), "200 []");
  EXPECT_THAT(Get({"cudasharedmemory", "region", "s", "status"}), HasSubstr("404 "));
  EXPECT_THAT(Post({"cudasharedmemory", "region", "r", "register"}, body), HasSubstr("409 "));
  EXPECT_EQ(Post({"cudasharedmemory", "region", "r", "unregister"}), "200 ");
  EXPECT_EQ(Post({"cudasharedmemory", "region", "r", "register"}, body), "200 ");
  EXPECT_EQ(Post({"cudasharedmemory", "unregister"}), "200 ");
  EXPECT_EQ(far.opened(), 0);
}

TEST_F(RegionCallsTest, BodiesOfRegionsOnDevicesAreCheckedMemberByMember) {
  const auto refusal = [this](std::string_view body) {
    return Post({"cudasharedmemory", "region", "r", "register"}, body);
  };
  EXPECT_THAT(refusal("{}"), HasSubstr("400 "));
  EXPECT_THAT(refusal(R"({"device_id":0,"byte_size":1})"), HasSubstr("request has no 'raw_handle' field"));
  EXPECT_THAT(refusal(R"({"raw_handle":{"b64":"AAAA"},"byte_size":1})"), HasSubstr("request has no 'device_id' field"));
  EXPECT_THAT(refusal(R"({"raw_handle":{"b64":"AAAA"},"device_id":0})"), HasSubstr("request has no 'byte_size' field"));
  EXPECT_THAT(refusal(R"({"raw_handle":{"b64":"?"},"device_id":0,"byte_size":1})"),
              HasSubstr("raw_handle: expected base64"));
  EXPECT_THAT(refusal(R"({"raw_handle":"AAAA","device_id":0,"byte_size":1})"), HasSubstr("raw_handle: "));
  EXPECT_THAT(refusal(R"({"raw_handle":{"b64":"AAAA"},"device_id":0.5,"byte_size":1})"), HasSubstr("device_id: "));
  EXPECT_THAT(refusal(R"({"raw_handle":{"b64":"AAAA"},"device_id":9,"byte_size":1})"), HasSubstr("501 "));
  EXPECT_THAT(Post({"cudasharedmemory", "register"}, "{}"), HasSubstr("'region name' is necessary to register cuda"));
}

TEST_F(RegionCallsTest, WithoutARegistryNothingIsServed) {
  registry_ = nullptr;
  for (const std::string_view room : {"systemsharedmemory", "cudasharedmemory"}) {
    EXPECT_EQ(Get({room, "status"}), R"(501 {"error":"client shared memory is not served"})");
    EXPECT_EQ(Post({room, "unregister"}), R"(501 {"error":"client shared memory is not served"})");
    EXPECT_EQ(Post({room, "region", "r", "register"}), R"(501 {"error":"client shared memory is not served"})");
  }
}

}  // namespace
}  // namespace inferd::oip_http
