#include "serving/enginehost/calls/call_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace inferd::enginehost {
namespace {

// The engine names the size, which it may have from an untrusted worker process.
TEST(CallValuesTest, AnInputThatThereIsNoMemoryForIsRefused) {
  const char byte = 0;
  const int64_t shape[] = {1};
  inferd_call_tensor input = {};
  input.struct_size = sizeof(input);
  input.name = {"x", 1};
  input.datatype = INFERD_TYPE_UINT8;
  input.shape = shape;
  input.rank = 1;
  input.memory = {&byte, 1, INFERD_MEMORY_CPU, 0};
  const inferd_call_tensor* const inputs[] = {&input};
  inferd_model_call call = {};
  call.struct_size = sizeof(call);
  call.model = {"m", 1};
  call.inputs = inputs;
  call.input_count = 1;
  const auto fits = ToRequest(call);
  ASSERT_TRUE(fits.has_value()) << fits.error().message();
  EXPECT_EQ((*fits)->inputs.at(0).data.size(), 1U);
  input.memory.size = std::numeric_limits<size_t>::max();
  EXPECT_EQ(ToRequest(call).error().code(), base::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace inferd::enginehost
