#include "engines/onnxruntime/graph/operator_scan.h"

#include <algorithm>

#include "engines/onnxruntime/graph/file_window.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {

namespace {

bool Equals(FileWindow& file, const FileField& field, std::string_view text) {
  if (field.end - field.begin != text.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (file.At(field.begin + i) != static_cast<uint8_t>(text[i])) return false;
  }
  return true;
}

bool IsOneOf(FileWindow& file, const FileField& node, std::span<const std::string_view> types) {
  const auto field = file.Find(node, kNodeType);
  return field.has_value() &&
         std::ranges::any_of(types, [&](std::string_view type) { return Equals(file, *field, type); });
}

}  // namespace

bool HasOperator(const std::filesystem::path& path, std::span<const std::string_view> types) {
  FileWindow file(path);
  const uint64_t size = file.size();
  uint64_t model = 0;
  while (const auto graph = file.Next(&model, size)) {
    if (graph->tag != kModelGraph) continue;
    uint64_t at = graph->begin;
    while (const auto node = file.Next(&at, graph->end)) {
      if (node->tag == kGraphNode && IsOneOf(file, *node, types)) return true;
    }
  }
  return false;
}

}  // namespace inferd::onnxruntime
