#include "ctl/init/external_data.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Varint(size_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>((number & 0x7F) | 0x80);
  return bytes + static_cast<char>(number);
}

// A field whose value is bytes.
std::string Field(size_t number, const std::string& value) {
  return Varint(number << 3 | 2) + Varint(value.size()) + value;
}

std::string Entry(const std::string& key, const std::string& value) {
  return Field(13, Field(1, key) + Field(2, value));
}

std::string TensorIn(const std::string& file) { return Entry("offset", "4") + Entry("location", file); }

TEST(ExternalDataTest, FindsFilesOfInitializersOnce) {
  const std::string graph = Field(5, TensorIn("w.bin")) + Field(5, TensorIn("w.bin")) + Field(5, TensorIn("a/b"));
  EXPECT_THAT(ExternalDataOf(Field(7, graph)).value(), ElementsAre("a/b", "w.bin"));
}

TEST(ExternalDataTest, FindsFilesInAttributesInnerGraphsAndFunctions) {
  const std::string constant = Field(1, Field(5, Field(5, TensorIn("in_attribute"))));
  const std::string inner = Field(1, Field(5, Field(6, Field(5, TensorIn("in_graph")))));
  const std::string sparse = Field(15, Field(1, TensorIn("in_sparse")));
  const std::string function = Field(25, Field(7, Field(5, Field(10, TensorIn("in_function")))));
  EXPECT_THAT(ExternalDataOf(Field(7, constant + inner + sparse) + function).value(),
              ElementsAre("in_attribute", "in_function", "in_graph", "in_sparse"));
}

TEST(ExternalDataTest, AModelMayHaveNone) {
  EXPECT_THAT(ExternalDataOf("").value(), IsEmpty());
  EXPECT_THAT(ExternalDataOf(Field(7, Field(5, Field(9, "raw data")))).value(), IsEmpty());
}

TEST(ExternalDataTest, RefusesOtherBytes) {
  EXPECT_FALSE(ExternalDataOf("\x3a\x7f").has_value()) << "shorter than it says";
  EXPECT_FALSE(ExternalDataOf("\xff\xff\xff\xff\xff\xff").has_value());
}

TEST(ExternalDataTest, ReadsFiles) {
  const support::TempDir folder;
  folder.Write("model.onnx", Field(7, Field(5, TensorIn("w.bin"))));
  folder.Write("empty.onnx", "");
  EXPECT_THAT(ExternalDataOfFile(folder.path() / "model.onnx").value(), ElementsAre("w.bin"));
  EXPECT_THAT(ExternalDataOfFile(folder.path() / "empty.onnx").value(), IsEmpty());
  EXPECT_FALSE(ExternalDataOfFile(folder.path() / "none.onnx").has_value());
  EXPECT_FALSE(ExternalDataOfFile(folder.path()).has_value());
}

}  // namespace
}  // namespace inferd::ctl
