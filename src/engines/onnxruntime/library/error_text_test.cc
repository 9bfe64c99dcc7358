#include "engines/onnxruntime/library/error_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::onnxruntime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ErrorTextTest, PlacesInTheLibrarysSourcesAreLeftOut) {
  EXPECT_EQ(WithoutSourcePlaces("nothing of the kind"), "nothing of the kind");
  EXPECT_EQ(WithoutSourcePlaces("Status Message: /onnxruntime_src/onnxruntime/core/framework/op.cc:94 virtual "
                                "onnxruntime::Status onnxruntime::Op<T>::Compute(onnxruntime::OpKernelContext*) const "
                                "[with T = std::vector<int[2]>] axis out of range"),
            "Status Message: axis out of range");
  EXPECT_EQ(WithoutSourcePlaces("/onnxruntime_src/a/b.h:7 std::function<void(int)>Make::operator()(bool) noexcept x "
                                "was false. /onnxruntime_src/c.cc:1 void F() y"),
            "x was false. y");
  for (const char* odd : {"/onnxruntime_src/", "/onnxruntime_src/a.cc", "/onnxruntime_src/a.cc:1 ",
                          "/onnxruntime_src/a.cc:1 f(((", "/onnxruntime_src/a.cc:1 f() [with ["}) {
    EXPECT_LE(WithoutSourcePlaces(odd).size(), std::string(odd).size());
  }
}

TEST(ErrorTextTest, VersionsNameTheNewestOneThatIsRead) {
  const std::string ir = ExplainLoadError(
      "Load model from /m/1/model.onnx failed:/onnxruntime_src/onnxruntime/core/graph/model.cc:181 "
      "onnxruntime::Model::Model(onnx::ModelProto&&, const onnxruntime::PathString&, const "
      "onnxruntime::IOnnxRuntimeOpSchemaRegistryList*, const onnxruntime::logging::Logger&, const "
      "onnxruntime::ModelOptions&) Unsupported model IR version: 14, max supported IR version: 13\n",
      false);
  EXPECT_THAT(ir, AllOf(StartsWith("Unsupported model IR version: 14, max supported IR version: 13: "),
                        HasSubstr("model.ir_version = 13"), HasSubstr("ir_version=13")));
  const std::string opset = ExplainLoadError(
      "/onnxruntime_src/onnxruntime/core/graph/model_load_utils.h:56 void "
      "onnxruntime::model_load_utils::ValidateOpsetForDomain(const std::unordered_map<std::basic_string<char>, int>&, "
      "const onnxruntime::logging::Logger&, bool, const string&, int) ONNX Runtime only *guarantees* support for "
      "models "
      "stamped with official released onnx opset versions. Opset 28 is under development and support for this is "
      "limited. Current official support for domain ai.onnx is till opset 26.\n",
      false);
  EXPECT_THAT(opset, AllOf(StartsWith("ONNX Runtime only *guarantees*"), HasSubstr("convert_version(model, 26)")));
}

TEST(ErrorTextTest, OperatorsOfALibraryNameIt) {
  const std::string not_imported =
      "This is an invalid model. In Node, (\"\", StringLength, \"ai.onnx.contrib\", -1) : (\"s\": tensor(string),) -> "
      "(\"y\": tensor(int64),) , Error No opset import for domain 'ai.onnx.contrib'";
  EXPECT_THAT(ExplainLoadError(not_imported, false),
              AllOf(StartsWith(not_imported), HasSubstr("op_library_filename"), HasSubstr("--allow-op-library"),
                    HasSubstr("onnxruntime-extensions"), HasSubstr("opset_import")));
  const std::string other = ExplainLoadError("Fatal error: my.domain:Foo(-1) is not a registered function/op", false);
  EXPECT_THAT(other,
              AllOf(HasSubstr("op_library_filename"), Not(HasSubstr("extensions")), Not(HasSubstr("opset_import"))));
  EXPECT_THAT(ExplainLoadError("Fatal error: my.domain:Foo(-1) is not a registered function/op", true),
              HasSubstr("no library that op_library_filename names"));
  EXPECT_THAT(ExplainLoadError("Fatal error: com.microsoft:Foo(-1) is not a registered function/op", false),
              AllOf(HasSubstr("release of ONNX Runtime"), Not(HasSubstr("op_library_filename"))));
  EXPECT_THAT(ExplainLoadError("Error No opset import for domain ''", false), HasSubstr("opset_import"));
  EXPECT_THAT(ExplainLoadError("Error No Op registered for Foo with domain_version of 17", false),
              HasSubstr("release of ONNX Runtime"));
  EXPECT_EQ(ExplainLoadError("Protobuf parsing failed.", false), "Protobuf parsing failed");
}

}  // namespace
}  // namespace inferd::onnxruntime
