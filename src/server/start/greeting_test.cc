#include "server/start/greeting.h"

#include <gmock/gmock.h>

#include "serving/core/fake_catalog.h"

namespace inferd::server {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class GreetingTest : public ::testing::Test {
 protected:
  GreetingTest() {
    catalog_.names = {"digits"};
    core::ModelMetadata digits;
    digits.name = "digits";
    digits.inputs = {Input("image", {-1, 2})};
    catalog_.metadata = digits;
  }

  static core::TensorSpec Input(std::string name, tensor::Shape shape,
                                tensor::DataType type = tensor::DataType::kFp32) {
    return {.name = std::move(name), .datatype = type, .shape = std::move(shape)};
  }

  std::string Text() const { return Greeting(options_, {.http = 8000, .grpc = 8001, .metrics = 8002}, catalog_); }

  config::ServerOptions options_;
  core::FakeCatalog catalog_;
};

TEST_F(GreetingTest, HasAddressesModelsAndACommand) {
  EXPECT_EQ(Text(), R"(
Ready: digits
  HTTP     http://localhost:8000
  gRPC     localhost:8001
  metrics  http://localhost:8002/metrics
Try:
  curl -s http://localhost:8000/v2/models/digits/infer -d '{"inputs":[{"name":"image","datatype":"FP32","shape":[1,2],"data":[0,0]}]}'

)");
}

TEST_F(GreetingTest, LargeInputsAreLeftToInferctl) {
  catalog_.metadata->inputs[0].shape = {-1, 3, 224, 224};
  EXPECT_THAT(Text(), HasSubstr("\n  inferctl --url http://localhost:8000 infer digits --fill ones\n"));
}

TEST_F(GreetingTest, TextsAndOptionalInputs) {
  catalog_.metadata->inputs = {Input("text", {1}, tensor::DataType::kBytes), Input("more", {1})};
  catalog_.metadata->inputs[1].optional = true;
  EXPECT_THAT(Text(), HasSubstr(R"("shape":[1],"data":["text"]}]}')"));
}

TEST_F(GreetingTest, NothingThatAShellWouldReadIsInTheCommand) {
  catalog_.metadata->inputs[0].name = "a'; rm -r b";
  EXPECT_THAT(Text(), Not(HasSubstr("rm -r")));
  catalog_.names = {"$(reboot)"};
  EXPECT_THAT(Text(), Not(HasSubstr("Try:")));
}

TEST_F(GreetingTest, WithoutReadyModelsThereIsNone) {
  catalog_.model_ready = base::Unavailable("loading");
  EXPECT_EQ(Text(), "");
}

}  // namespace
}  // namespace inferd::server
