#include "config/accelerator_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <vector>

namespace inferd::config {
namespace {

// Returns the names in the first column of the page's table of an accelerator's parameters.
std::vector<std::string> NamesOf(const std::string& accelerator) {
  // The tests are in build/<preset>/bin.
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream page(program.parent_path() / "../../../docs/onnx-models.md");
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    inside |= line.starts_with("| parameter of `" + accelerator + "` |");
    if (inside && line.empty()) break;
    if (inside && line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

TEST(AcceleratorParametersTest, ThePageOfTheEngineListsThem) {
  for (const char* accelerator : {"cuda", "tensorrt"}) {
    EXPECT_THAT(NamesOf(accelerator), ::testing::ElementsAreArray(AcceleratorParameters(accelerator)));
    EXPECT_THAT(KnownAccelerators(), ::testing::HasSubstr(accelerator));
  }
  EXPECT_TRUE(AcceleratorParameters("openvino").empty());
}

}  // namespace
}  // namespace inferd::config
