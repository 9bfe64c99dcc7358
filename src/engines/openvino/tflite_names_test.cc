#include "engines/openvino/tflite_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "data/wire/format.h"

namespace inferd::openvino {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

void PutNumber(std::string& out, uint32_t number, size_t width = 4) {
  out.append(reinterpret_cast<const char*>(&number), width);
}

// Makes a FlatBuffer in which every reference points forward.
class FlatMaker final {
 public:
  // Its fields are references and 32-bit numbers.
  size_t Table(uint32_t fields) {
    const size_t vtable = bytes_.size();
    PutNumber(bytes_, 4 + 2 * fields, 2);
    PutNumber(bytes_, 4 + 4 * fields, 2);
    for (uint32_t i = 0; i < fields; ++i) PutNumber(bytes_, 4 + 4 * i, 2);
    const size_t table = bytes_.size();
    PutNumber(bytes_, static_cast<uint32_t>(table - vtable));
    bytes_.append(4 * size_t{fields}, '\0');
    return table;
  }
  size_t Vector(uint32_t size) {
    const size_t vector = bytes_.size();
    PutNumber(bytes_, size);
    bytes_.append(4 * size_t{size}, '\0');
    return vector;
  }
  size_t Bytes(const std::string& text) {
    const size_t vector = bytes_.size();
    PutNumber(bytes_, static_cast<uint32_t>(text.size()));
    bytes_ += text;
    return vector;
  }
  static size_t Slot(size_t table, uint32_t field) { return table + 4 + 4 * size_t{field}; }
  void Set(size_t place, uint32_t number) { std::memcpy(bytes_.data() + place, &number, sizeof(number)); }
  void Refer(size_t place, size_t target) { Set(place, static_cast<uint32_t>(target - place)); }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_ = std::string(4, '\0') + "TFL3";
};

using Texts = std::vector<std::pair<std::string, std::string>>;

// Returns a FlexBuffer of a map of texts.
std::string FlexMapOf(const Texts& texts) {
  std::string out;
  std::vector<uint32_t> keys;
  std::vector<uint32_t> values;
  const auto at = [&out] { return static_cast<uint32_t>(out.size()); };
  for (const auto& [key, value] : texts) {
    keys.push_back(at());
    out += key + '\0';
    PutNumber(out, static_cast<uint32_t>(value.size()));
    values.push_back(at());
    out += value + '\0';
  }
  const auto put = [&](const std::vector<uint32_t>& places) {
    for (const uint32_t place : places) PutNumber(out, at() - place);
  };
  PutNumber(out, static_cast<uint32_t>(texts.size()));
  const uint32_t keys_at = at();
  put(keys);
  PutNumber(out, at() - keys_at);
  PutNumber(out, 4);
  PutNumber(out, static_cast<uint32_t>(texts.size()));
  const uint32_t values_at = at();
  put(values);
  out.append(texts.size(), static_cast<char>(5 << 2 | 2));
  PutNumber(out, at() - values_at);
  out += static_cast<char>(9 << 2 | 2);
  return out + '\4';
}

std::string FileOf(const std::string& metadata, const std::string& name = "signature_defs_metadata") {
  FlatMaker file;
  const size_t model = file.Table(8);
  file.Refer(0, model);
  const size_t buffers = file.Vector(2);
  file.Refer(FlatMaker::Slot(model, 4), buffers);
  const size_t entries = file.Vector(1);
  file.Refer(FlatMaker::Slot(model, 6), entries);
  const size_t entry = file.Table(2);
  file.Refer(entries + 4, entry);
  file.Refer(FlatMaker::Slot(entry, 0), file.Bytes(name));
  file.Set(FlatMaker::Slot(entry, 1), 1);
  const size_t buffer = file.Table(1);
  file.Refer(buffers + 8, buffer);
  file.Refer(FlatMaker::Slot(buffer, 0), file.Bytes(metadata));
  return file.bytes();
}

std::string Message(std::initializer_list<std::pair<uint32_t, std::string>> fields) {
  std::string message;
  for (const auto& [number, bytes] : fields) {
    message += static_cast<char>(wire::Tag(number, wire::Type::kBytes));
    message += static_cast<char>(bytes.size());
    message += bytes;
  }
  return message;
}

std::string SignatureDef(const std::string& input, const std::string& tensor) {
  return Message({{1, Message({{1, input}, {2, Message({{1, tensor}})}})},
                  {2, Message({{1, "y"}, {2, Message({{1, "tflite_output"}})}})},
                  {3, "tensorflow/serving/predict"}});
}

TEST(TfliteNamesTest, TheDefaultSignatureNamesTensors) {
  const TfliteNames names = ReadTfliteNames(
      FileOf(FlexMapOf({{"other", SignatureDef("a", "b")}, {"serving_default", SignatureDef("x", "tflite_input")}})));
  EXPECT_THAT(names.inputs, ElementsAre(Pair("tflite_input", "x")));
  EXPECT_THAT(names.outputs, ElementsAre(Pair("tflite_output", "y")));
}

TEST(TfliteNamesTest, TheOnlySignatureNeedsNoName) {
  EXPECT_THAT(ReadTfliteNames(FileOf(FlexMapOf({{"mine", SignatureDef("x", "t")}}))).inputs,
              ElementsAre(Pair("t", "x")));
  const Texts two = {{"a", SignatureDef("x", "t")}, {"b", SignatureDef("x", "t")}};
  EXPECT_TRUE(ReadTfliteNames(FileOf(FlexMapOf(two))).empty());
}

TEST(TfliteNamesTest, WithoutThatMetadataThereAreNoNames) {
  EXPECT_TRUE(ReadTfliteNames("").empty());
  EXPECT_TRUE(ReadTfliteNames(FileOf(FlexMapOf({{"a", SignatureDef("x", "t")}}), "other_metadata")).empty());
  EXPECT_TRUE(ReadTfliteNames(FileOf("")).empty());
  EXPECT_TRUE(ReadTfliteNames(FileOf(FlexMapOf({{"serving_default", "\x0a\x7f"}}))).empty());
}

TEST(TfliteNamesTest, AnyBytesAreRead) {
  const std::string file = FileOf(FlexMapOf({{"serving_default", SignatureDef("x", "t")}}));
  for (size_t size = 0; size < file.size(); ++size) ReadTfliteNames(std::string(file, 0, size));
  for (size_t at = 0; at < file.size(); ++at) {
    for (const char byte : {'\0', '\1', '\x7f', '\x80', '\xff'}) {
      std::string changed = file;
      changed[at] = byte;
      ReadTfliteNames(changed);
    }
  }
}

}  // namespace
}  // namespace inferd::openvino
