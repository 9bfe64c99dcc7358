#include "engines/openvino/tflite_names.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "data/wire/reader.h"

namespace inferd::openvino {

namespace {

constexpr std::string_view kMetadataName = "signature_defs_metadata";
constexpr std::string_view kServingDefault = "serving_default";
constexpr uint32_t kMetadataMax = 4096;
constexpr uint64_t kSignaturesMax = 4096;

// The indices of fields in the tables of TensorFlow Lite's schema.
constexpr uint32_t kModelBuffers = 4;
constexpr uint32_t kModelMetadata = 6;
constexpr uint32_t kMetadataNameField = 0;
constexpr uint32_t kMetadataBuffer = 1;
constexpr uint32_t kBufferData = 0;

// A FlatBuffer. Positions are offsets from its start; 0 means missing, or outside of the bytes.
class FlatFile final {
 public:
  explicit FlatFile(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Root() const { return Referred(0); }

  // Returns the position of the table's field value.
  uint64_t Field(uint64_t table, uint32_t field) const {
    if (table == 0) return 0;
    const auto back = static_cast<int32_t>(Number<uint32_t>(table));
    const auto vtable = static_cast<uint64_t>(static_cast<int64_t>(table) - back);
    const uint64_t entry = 4 + 2 * uint64_t{field};
    if (Number<uint16_t>(vtable) < entry + 2) return 0;
    const uint16_t offset = Number<uint16_t>(vtable + entry);
    return offset == 0 ? 0 : table + offset;
  }
  // Returns the position of the table, vector or text to which the value at `place` refers.
  uint64_t Follow(uint64_t place) const { return place == 0 ? 0 : Referred(place); }
  uint32_t Size(uint64_t vector) const { return vector == 0 ? 0 : Number<uint32_t>(vector); }
  // Returns an element that is a table.
  uint64_t Table(uint64_t vector, uint32_t index) const { return Follow(vector + 4 + 4 * uint64_t{index}); }
  // Returns a text, or the bytes of a vector.
  std::string_view Bytes(uint64_t vector) const {
    const uint64_t begin = vector + 4;
    const uint64_t size = Size(vector);
    if (vector == 0 || begin > bytes_.size() || size > bytes_.size() - begin) return {};
    return bytes_.substr(begin, size);
  }
  uint32_t Scalar(uint64_t place) const { return place == 0 ? 0 : Number<uint32_t>(place); }

 private:
  uint64_t Referred(uint64_t place) const {
    const uint32_t offset = Number<uint32_t>(place);
    return offset == 0 || place + offset >= bytes_.size() ? 0 : place + offset;
  }
  template <typename T>
  T Number(uint64_t place) const {
    T number = 0;
    if (place < bytes_.size() && bytes_.size() - place >= sizeof(T)) {
      std::memcpy(&number, bytes_.data() + place, sizeof(T));
    }
    return number;
  }

  std::string_view bytes_;
};

// A FlexBuffer whose root is a map of texts, with backward offsets. All reads stay inside of it.
class FlexMap final {
 public:
  explicit FlexMap(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() < 3) return;
    const uint64_t width = static_cast<uint8_t>(bytes.back());
    const auto type = static_cast<uint8_t>(bytes[bytes.size() - 2]);
    if (!IsWidth(width) || type >> 2 != kMap || bytes.size() < 2 + width) return;
    const uint64_t root = bytes.size() - 2 - width;
    values_ = Back(root, width);
    width_ = uint64_t{1} << (type & 3);
    if (values_ < 3 * width_) return;
    const uint64_t keys_width = Number(values_ - 2 * width_, width_);
    keys_ = Back(values_ - 3 * width_, width_);
    if (!IsWidth(keys_width)) return;
    keys_width_ = keys_width;
    size_ = std::min(Number(values_ - width_, width_), kSignaturesMax);
  }

  uint64_t size() const { return size_; }
  std::string_view Key(uint64_t index) const {
    const uint64_t at = Back(keys_ + index * keys_width_, keys_width_);
    if (at == 0) return {};
    const std::string_view rest = bytes_.substr(at);
    return rest.substr(0, rest.find('\0'));
  }
  std::string_view Value(uint64_t index) const {
    const uint64_t type_at = values_ + size_ * width_ + index;
    if (type_at >= bytes_.size()) return {};
    const auto type = static_cast<uint8_t>(bytes_[type_at]);
    const uint64_t width = uint64_t{1} << (type & 3);
    const uint64_t at = Back(values_ + index * width_, width_);
    if ((type >> 2 != kString && type >> 2 != kBlob) || at < width) return {};
    const uint64_t size = Number(at - width, width);
    return size > bytes_.size() - at ? std::string_view() : bytes_.substr(at, size);
  }

 private:
  static constexpr uint8_t kString = 5;
  static constexpr uint8_t kMap = 9;
  static constexpr uint8_t kBlob = 25;

  static bool IsWidth(uint64_t width) { return width == 1 || width == 2 || width == 4 || width == 8; }
  uint64_t Number(uint64_t place, uint64_t width) const {
    uint64_t number = 0;
    if (place < bytes_.size() && bytes_.size() - place >= width) std::memcpy(&number, bytes_.data() + place, width);
    return number;
  }
  // Returns the target of the offset at a position, or 0 if there is none.
  uint64_t Back(uint64_t place, uint64_t width) const {
    const uint64_t offset = Number(place, width);
    return offset > place || place >= bytes_.size() ? 0 : place - offset;
  }

  std::string_view bytes_;
  uint64_t values_ = 0;
  uint64_t width_ = 1;
  uint64_t keys_ = 0;
  uint64_t keys_width_ = 1;
  uint64_t size_ = 0;
};

std::string_view FindMetadata(std::string_view bytes) {
  const FlatFile file(bytes);
  const uint64_t model = file.Root();
  const uint64_t metadata = file.Follow(file.Field(model, kModelMetadata));
  const uint64_t buffers = file.Follow(file.Field(model, kModelBuffers));
  for (uint32_t i = 0; i < std::min(file.Size(metadata), kMetadataMax); ++i) {
    const uint64_t entry = file.Table(metadata, i);
    if (file.Bytes(file.Follow(file.Field(entry, kMetadataNameField))) != kMetadataName) continue;
    const uint32_t buffer = file.Scalar(file.Field(entry, kMetadataBuffer));
    if (buffer >= file.Size(buffers)) return {};
    return file.Bytes(file.Follow(file.Field(file.Table(buffers, buffer), kBufferData)));
  }
  return {};
}

using wire::Tag;
using wire::Type;

// From tensorflow/core/protobuf/meta_graph.proto.
constexpr uint32_t kSignatureInput = Tag(1, Type::kBytes);
constexpr uint32_t kSignatureOutput = Tag(2, Type::kBytes);
constexpr uint32_t kEntryKey = Tag(1, Type::kBytes);
constexpr uint32_t kEntryValue = Tag(2, Type::kBytes);
constexpr uint32_t kInfoName = Tag(1, Type::kBytes);

std::string NameIn(wire::Reader info) {
  std::string name;
  while (const uint32_t tag = info.Next()) {
    tag == kInfoName ? void(name = info.String()) : info.Skip();
  }
  return info.ok() ? name : "";
}

// Adds an entry of a map from clients' names to tensors.
void AddEntry(wire::Reader entry, TfliteNames::Names& names) {
  std::string client;
  std::string tensor;
  while (const uint32_t tag = entry.Next()) {
    switch (tag) {
      case kEntryKey: client = entry.String(); break;
      case kEntryValue: tensor = NameIn(entry.Message()); break;
      default: entry.Skip();
    }
  }
  if (entry.ok() && !client.empty() && !tensor.empty()) names.emplace(std::move(tensor), std::move(client));
}

TfliteNames ReadSignature(std::string_view message) {
  TfliteNames names;
  wire::Reader in(message);
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case kSignatureInput: AddEntry(in.Message(), names.inputs); break;
      case kSignatureOutput: AddEntry(in.Message(), names.outputs); break;
      default: in.Skip();
    }
  }
  return in.ok() ? names : TfliteNames();
}

}  // namespace

TfliteNames ReadTfliteNames(std::string_view file) {
  const FlexMap signatures(FindMetadata(file));
  for (uint64_t i = 0; i < signatures.size(); ++i) {
    if (signatures.size() == 1 || signatures.Key(i) == kServingDefault) return ReadSignature(signatures.Value(i));
  }
  return {};
}

}  // namespace inferd::openvino
