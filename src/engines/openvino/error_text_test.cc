#include "engines/openvino/error_text.h"

#include <gtest/gtest.h>

namespace inferd::openvino {
namespace {

struct Case {
  const char* what;
  const char* text;
};

TEST(ErrorTextTest, PlacesInTheLibraryAreLeftOut) {
  constexpr Case kCases[] = {
      {"", "OpenVINO says nothing of why"},
      {"Exception from src/inference/src/cpp/core.cpp:84:\n\n", "OpenVINO says nothing of why"},
      {"plain", "plain"},
      {"Exception from src/inference/src/cpp/core.cpp:84:\nException from src/inference/src/model_reader.cpp:148:\n"
       "Unable to read the model: \"m.xml\"\n\n",
       "Unable to read the model: \"m.xml\""},
      {"Check '!shape.rank().is_dynamic()' failed at src/plugins/intel_cpu/src/node.cpp:108:\nUnexpected: no "
       "rank",
       "Unexpected: no rank"},
      {"Check 'a' failed at src/core/src/a.cpp:1: behind it", "behind it"},
      {"Check 'false' failed at src/x.cpp:151:\nFrontEnd API failed with OpConversionFailure:\nModel wasn't fully "
       "converted.\n"
       "Summary:\n-- No conversion rule found for operations: StringLength, StringUpper\n",
       "Model wasn't fully converted. Summary: -- No conversion rule found for operations: StringLength, StringUpper"},
      {"one\ntwo", "one; two"},
      {"No translator found for IF node.",
       "No translator found for IF node. OpenVINO lacks this operator: serve the model that the file was made from "
       "with "
       "another engine, such as a SavedModel with tensorflow"},
      {"layer '\xff'", "layer '\xEF\xBF\xBD'"},
  };
  for (const Case& each : kCases) EXPECT_EQ(ErrorText(each.what), each.text) << each.what;
}

}  // namespace
}  // namespace inferd::openvino
