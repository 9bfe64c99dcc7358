#include "netdef/graph/graph.h"

namespace inferd::netdef {

std::shared_ptr<const Blob> Graph::Find(std::string_view blob) const {
  const auto found = blobs_.find(blob);
  return found == blobs_.end() ? nullptr : found->second;
}

void Graph::AddInput(std::string_view blob, Element element, std::span<const int64_t> shape) {
  writer_.Input(blob, element, shape);
  const Blob value{.name = std::string(blob), .rank = static_cast<int>(shape.size()), .shape = std::nullopt};
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(value));
}

void Graph::AddOutput(std::string_view blob, const Blob& value) {
  const std::string inputs[] = {value.name};
  const std::string outputs[] = {std::string(blob)};
  writer_.Node("Identity", inputs, outputs, {});
  writer_.Output(blob);
}

std::string Graph::Define(std::string_view blob, int rank) {
  const Blob value{.name = NewName(blob), .rank = rank, .shape = std::nullopt};
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(value));
  return value.name;
}

void Graph::DefineConstant(std::string_view blob, Element element, std::vector<int64_t> shape, std::string_view raw) {
  Blob value{.name = NewName(blob), .rank = static_cast<int>(shape.size()), .shape = std::move(shape)};
  writer_.Constant(value.name, element, *value.shape, raw);
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(std::move(value)));
}

std::string Graph::Ints(std::span<const int64_t> values) {
  std::string name = NewName("ints");
  const int64_t shape[] = {static_cast<int64_t>(values.size())};
  writer_.Constant(name, Element::kInt64, shape, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  return name;
}

std::string Graph::Scalar(float value) {
  std::string name = NewName("number");
  writer_.Constant(name, Element::kFloat, {}, {reinterpret_cast<const char*>(&value), sizeof(value)});
  return name;
}

std::string Graph::NewName(std::string_view like) {
  size_t& number = numbers_[std::string(like)];
  for (;;) {
    std::string name = std::string(like) + "#" + std::to_string(++number);
    if (names_.insert(name).second) return name;
  }
}

}  // namespace inferd::netdef
