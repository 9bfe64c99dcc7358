#include "engines/tensorflow/string_tensor.h"

#include <cstdlib>
#include <cstring>
#include <limits>

namespace inferd::tensorflow {

namespace {

constexpr size_t kLengthSize = sizeof(uint32_t);

// Called when the last tensor that shares the elements is gone: possibly after the run, if the model keeps them.
void FreeElements(void* data, size_t size, void*) {
  auto* elements = static_cast<TF_TString*>(data);
  for (size_t i = 0; i < size / sizeof(TF_TString); ++i) TF_TString_Dealloc(&elements[i]);
  std::free(data);
}

}  // namespace

base::Result<TensorOwner> MakeStringTensor(std::span<const inferd_text> elements, const int64_t* shape, size_t rank) {
  const size_t bytes = elements.size() * sizeof(TF_TString);
  // Never 0 bytes: a tensor's memory must exist. malloc's alignment suffices for any TF_TString.
  auto* strings = static_cast<TF_TString*>(std::malloc(std::max(bytes, sizeof(TF_TString))));
  if (strings == nullptr) return std::unexpected(base::ResourceExhausted("there is no memory for an input of strings"));
  for (size_t i = 0; i < elements.size(); ++i) {
    TF_TString_Init(&strings[i]);
    TF_TString_Copy(&strings[i], elements[i].data, elements[i].size);
  }
  TensorOwner tensor(Tf().NewTensor(TF_STRING, shape, static_cast<int>(rank), strings, bytes, FreeElements, nullptr));
  if (tensor == nullptr) return std::unexpected(base::Internal("TensorFlow refuses a tensor of strings"));
  return tensor;
}

base::Result<size_t> PackedSize(std::span<const TF_TString> elements) {
  size_t bytes = 0;
  for (const TF_TString& element : elements) {
    const size_t size = TF_TString_GetSize(&element);
    if (size > std::numeric_limits<uint32_t>::max()) {
      return std::unexpected(base::OutOfRange("a string of the output is longer than 4294967295 bytes"));
    }
    bytes += kLengthSize + size;
  }
  return bytes;
}

void PackStrings(std::span<const TF_TString> elements, std::byte* out) {
  for (const TF_TString& element : elements) {
    const auto size = static_cast<uint32_t>(TF_TString_GetSize(&element));
    std::memcpy(out, &size, kLengthSize);
    std::memcpy(out + kLengthSize, TF_TString_GetDataPointer(&element), size);
    out += kLengthSize + size;
  }
}

}  // namespace inferd::tensorflow
