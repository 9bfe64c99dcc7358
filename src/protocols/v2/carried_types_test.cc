#include "protocols/v2/carried_types.h"

#include <gtest/gtest.h>

#include "serving/core/fake_catalog.h"

namespace inferd::v2 {
namespace {

using tensor::DataType;

const base::Status kRefused = base::Unimplemented(
    "tensor 'q' has elements of type QINT8, which this protocol does not have: TensorFlow Serving's gRPC has it");

TEST(CarriedTypesTest, AResponseIsRefusedByItsFirstTensorOfAnotherType) {
  core::InferResponse response;
  EXPECT_TRUE(CheckCarried(response).ok());
  response.outputs.resize(2);
  response.outputs[0].name = "y";
  response.outputs[0].datatype = DataType::kBf16;
  response.outputs[1].name = "q";
  response.outputs[1].datatype = DataType::kFp32;
  EXPECT_TRUE(CheckCarried(response).ok());
  response.outputs[1].datatype = DataType::kQint8;
  EXPECT_EQ(CheckCarried(response), kRefused);
}

TEST(CarriedTypesTest, SoAreMetadata) {
  core::FakeCatalog catalog;
  catalog.metadata = core::ModelMetadata{.name = "m",
                                         .versions = {},
                                         .platform = {},
                                         .inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {}}},
                                         .outputs = {{.name = "y", .datatype = DataType::kBytes, .shape = {}}},
                                         .parameters = {}};
  ASSERT_TRUE(CarriedMetadata(catalog, "m", "").has_value());
  EXPECT_EQ(CarriedMetadata(catalog, "m", "")->inputs[0].name, "x");
  catalog.metadata->outputs[0] = {.name = "q", .datatype = DataType::kQint8, .shape = {}};
  ASSERT_FALSE(CarriedMetadata(catalog, "m", "").has_value());
  EXPECT_EQ(CarriedMetadata(catalog, "m", "").error(), kRefused);
  catalog.metadata = std::unexpected(base::NotFound("no such model"));
  EXPECT_EQ(CarriedMetadata(catalog, "m", "").error(), base::NotFound("no such model"));
}

}  // namespace
}  // namespace inferd::v2
