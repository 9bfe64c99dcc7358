#include "serving/cache/cached_response.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "serving/cache/request_key.h"

namespace inferd::cache {

namespace {

constexpr size_t kInlineTextBytes = 15;
constexpr size_t kInlineRank = 6;

size_t TextBytes(const std::string& text) { return text.capacity() > kInlineTextBytes ? text.capacity() + 1 : 0; }

size_t ParameterBytes(const core::Parameters& parameters) {
  size_t bytes = parameters.capacity() * sizeof(core::Parameters::value_type);
  for (const auto& [name, value] : parameters) {
    bytes += TextBytes(name);
    if (const auto* const text = std::get_if<std::string>(&value)) bytes += TextBytes(*text);
  }
  return bytes;
}

size_t Aligned(size_t offset) { return (offset + base::kBufferAlignment - 1) & ~(base::kBufferAlignment - 1); }

}  // namespace

std::shared_ptr<const CachedResponse> CachedResponse::CopyOf(const core::InferResponse& response) {
  size_t data_bytes = 0;
  for (const core::InferTensor& output : response.outputs) {
    if (!output.data.place().readable()) return nullptr;
    data_bytes = Aligned(data_bytes) + output.data.size();
  }
  std::shared_ptr<CachedResponse> copy(new CachedResponse);
  base::Buffer memory = base::Buffer::Allocate(data_bytes);
  copy->outputs_.reserve(response.outputs.size());
  copy->bytes_ = sizeof(CachedResponse) + kBufferBytes + data_bytes;
  size_t end = 0;
  for (const core::InferTensor& output : response.outputs) {
    const size_t offset = Aligned(end);
    const size_t size = output.data.size();
    if (size > 0) std::memcpy(memory.data() + offset, output.data.data(), size);
    end = offset + size;
    copy->outputs_.push_back({.name = output.name,
                              .datatype = output.datatype,
                              .shape = output.shape,
                              .data = {memory, memory.data() + offset, size},
                              .parameters = output.parameters});
    copy->bytes_ += TextBytes(output.name) + ParameterBytes(output.parameters);
    if (output.shape.rank() > kInlineRank) copy->bytes_ += output.shape.dims().size_bytes();
  }
  copy->parameters_ = response.parameters;
  copy->bytes_ += copy->outputs_.capacity() * sizeof(core::InferTensor) + ParameterBytes(copy->parameters_);
  return copy;
}

core::InferResponse CachedResponse::Answer() const {
  core::InferResponse response;
  response.outputs = outputs_;
  response.parameters = parameters_;
  return response;
}

}  // namespace inferd::cache
