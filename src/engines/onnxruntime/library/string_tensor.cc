#include "engines/onnxruntime/library/string_tensor.h"

#include <cstring>
#include <vector>

namespace inferd::onnxruntime {

namespace {

constexpr size_t kLengthSize = sizeof(uint32_t);

}  // namespace

base::Result<ValueOwner> MakeStringTensor(std::span<const inferd_text> elements, const int64_t* shape, size_t rank) {
  OrtAllocator* allocator = nullptr;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetAllocatorWithDefaultOptions(&allocator)));
  OrtValue* value = nullptr;
  INFERD_RETURN_IF_ERROR(
      ToStatus(Ort().CreateTensorAsOrtValue(allocator, shape, rank, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value)));
  ValueOwner owner(value);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].size == 0) continue;
    // Not FillStringTensor: it takes C strings, and would end an element at its first zero byte.
    char* buffer = nullptr;
    INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetResizedStringTensorElementBuffer(value, i, elements[i].size, &buffer)));
    std::memcpy(buffer, elements[i].data, elements[i].size);
  }
  return owner;
}

base::Result<size_t> PackedSize(const OrtValue* value, size_t count) {
  size_t bytes = 0;
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetStringTensorDataLength(value, &bytes)));
  return bytes + count * kLengthSize;
}

base::Status PackStrings(const OrtValue* value, size_t count, std::span<std::byte> out) {
  if (count == 0) return base::OkStatus();
  // The library writes all elements one after the other, here to the end of `out`. From there each moves towards the
  // front, behind its length. That never overwrites an element that has not moved yet.
  std::byte* const content = out.data() + count * kLengthSize;
  const size_t content_size = out.size() - count * kLengthSize;
  std::vector<size_t> offsets(count);
  INFERD_RETURN_IF_ERROR(ToStatus(Ort().GetStringTensorContent(value, content, content_size, offsets.data(), count)));
  std::byte* at = out.data();
  for (size_t i = 0; i < count; ++i) {
    const size_t end = i + 1 < count ? offsets[i + 1] : content_size;
    const auto length = static_cast<uint32_t>(end - offsets[i]);
    if (length != end - offsets[i]) return base::OutOfRange("a string of the output is longer than 4294967295 bytes");
    std::memcpy(at, &length, kLengthSize);
    std::memmove(at + kLengthSize, content + offsets[i], length);
    at += kLengthSize + length;
  }
  return base::OkStatus();
}

}  // namespace inferd::onnxruntime
