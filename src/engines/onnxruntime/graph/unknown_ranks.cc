#include "engines/onnxruntime/graph/unknown_ranks.h"

#include "engines/onnxruntime/graph/file_window.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {

namespace {

constexpr size_t kNameBytesMax = 64 << 10;

// `value` is a ValueInfoProto.
bool HasUnknownRank(FileWindow& file, const FileField& value) {
  std::optional<FileField> type = file.Find(value, kValueType);
  if (!type.has_value()) return false;
  if (const auto optional = file.Find(*type, kTypeOptional)) type = file.Find(*optional, kOptionalElement);
  const std::optional<FileField> tensor = type.has_value() ? file.Find(*type, kTypeTensor) : std::nullopt;
  return tensor.has_value() && !file.Find(*tensor, kTensorShape).has_value();
}

}  // namespace

std::set<std::string> FindUnknownRanks(const std::filesystem::path& path) {
  std::set<std::string> names;
  FileWindow file(path);
  const FileField model{.tag = 0, .begin = 0, .end = file.size()};
  const std::optional<FileField> graph = file.Find(model, kModelGraph);
  if (!graph.has_value()) return names;
  uint64_t at = graph->begin;
  while (const auto value = file.Next(&at, graph->end)) {
    if ((value->tag != kGraphInput && value->tag != kGraphOutput) || !HasUnknownRank(file, *value)) continue;
    if (const auto name = file.Find(*value, kValueName)) names.insert(file.Text(*name, kNameBytesMax));
  }
  return names;
}

}  // namespace inferd::onnxruntime
