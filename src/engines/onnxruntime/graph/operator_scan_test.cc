#include "engines/onnxruntime/graph/operator_scan.h"

#include <gtest/gtest.h>

#include "data/wire/append.h"
#include "engines/onnxruntime/graph/onnx_fields.h"
#include "tests/support/temp_dir.h"

namespace inferd::onnxruntime {
namespace operator_scan_test {

constexpr std::string_view kWanted[] = {"ZipMap", "StringNormalizer"};

std::string Part(uint32_t number, std::string_view value) {
  std::string out;
  wire::AppendBytes(number, value, &out);
  return out;
}

std::string Node(std::string_view type) {
  return Part(1, Part(1, "in") + Part(4, type) + Part(5, std::string(40'000, 'a')));
}

class OperatorScanTest : public ::testing::Test {
 protected:
  bool Has(const std::string& content) {
    dir_.Write("model.onnx", content);
    return HasOperator(dir_.path() / "model.onnx", kWanted);
  }

  const support::TempDir dir_;
};

TEST_F(OperatorScanTest, FindsOperatorsBehindWeights) {
  const std::string weights = Part(5, std::string(100'000, '\x0a'));
  EXPECT_TRUE(Has(Part(7, Node("Add") + weights + Node("ZipMap"))));
  EXPECT_TRUE(Has(Part(2, "producer") + Part(7, Node("StringNormalizer"))));
  EXPECT_FALSE(Has(Part(7, Node("Add") + weights + Node("ZipMaps") + Node("Zip"))));
  EXPECT_FALSE(Has(Part(9, Node("ZipMap")))) << "not the graph";
}

TEST_F(OperatorScanTest, WhatIsNoModelHasNone) {
  EXPECT_FALSE(Has(""));
  EXPECT_FALSE(Has("ZipMap, as text"));
  EXPECT_FALSE(HasOperator(dir_.path() / "missing", kWanted));
  EXPECT_FALSE(HasOperator(dir_.path(), kWanted));
  const std::string model = Part(7, Node("Add") + Node("ZipMap"));
  for (const size_t size : {size_t{1}, size_t{3}, size_t{100}, model.size() / 2, model.size() - 1}) {
    EXPECT_FALSE(Has(model.substr(0, size))) << size;
  }
  EXPECT_FALSE(Has(std::string("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11) + model)) << "an impossible length";
}

}  // namespace operator_scan_test
}  // namespace inferd::onnxruntime
