#include "engines/onnxruntime/gpu/wants_cuda_graphs.h"

#include <gtest/gtest.h>

namespace inferd::onnxruntime {
namespace {

TEST(WantsCudaGraphsTest, TheConfigurationSaysIt) {
  EXPECT_FALSE(*WantsCudaGraphs(""));
  EXPECT_FALSE(*WantsCudaGraphs("{}"));
  EXPECT_FALSE(*WantsCudaGraphs(R"({"graphs":true,"cuda":{"graphs":true},"optimization":{"graphs":true}})"));
  EXPECT_FALSE(*WantsCudaGraphs(R"({"optimization":{"cuda":{"graphs":false}}})"));
  EXPECT_TRUE(*WantsCudaGraphs(
      R"({"name":"m","optimization":{"priority":"PRIORITY_MAX","cuda":{"busy_wait_events":true,"graphs":true}},"x":[1]})"));
  for (const char* wrong : {"[]", R"({"optimization":{"cuda":{"graphs":1}}})", R"({"optimization":)"}) {
    EXPECT_FALSE(WantsCudaGraphs(wrong).has_value()) << wrong;
  }
}

}  // namespace
}  // namespace inferd::onnxruntime
