#include "engines/rewrite/netdef/graph/graph.h"

namespace inferd::netdef {

std::shared_ptr<const Blob> Graph::Find(std::string_view blob) const {
  const auto found = blobs_.find(blob);
  return found == blobs_.end() ? nullptr : found->second;
}

void Graph::AddInput(std::string_view blob, Element element, std::span<const int64_t> shape) {
  out_.writer().Input(blob, element, shape);
  const Blob value{.name = std::string(blob), .rank = static_cast<int>(shape.size()), .shape = std::nullopt};
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(value));
}

std::string Graph::Define(std::string_view blob, int rank) {
  const Blob value{.name = out_.NewName(blob), .rank = rank, .shape = std::nullopt};
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(value));
  return value.name;
}

void Graph::DefineConstant(std::string_view blob, Element element, std::vector<int64_t> shape, std::string_view raw) {
  Blob value{.name = out_.NewName(blob), .rank = static_cast<int>(shape.size()), .shape = std::move(shape)};
  out_.writer().Constant(value.name, element, *value.shape, raw);
  blobs_.insert_or_assign(std::string(blob), std::make_shared<const Blob>(std::move(value)));
}

}  // namespace inferd::netdef
