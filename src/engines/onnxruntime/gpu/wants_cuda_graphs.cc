#include "engines/onnxruntime/gpu/wants_cuda_graphs.h"

#include "data/json/read.h"

namespace inferd::onnxruntime {

base::Result<bool> WantsCudaGraphs(std::string_view config_json) {
  bool graphs = false;
  const auto read_cuda = [&graphs](json::Reader& reader, std::string_view key) -> base::Status {
    if (key != "graphs") return reader.SkipValue();
    INFERD_ASSIGN_OR_RETURN(graphs, reader.ReadBool());
    return {};
  };
  const auto read_optimization = [&](json::Reader& reader, std::string_view key) {
    if (key != "cuda") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view inner) { return read_cuda(reader, inner); });
  };
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(config_json, [&](json::Reader& reader, std::string_view key) {
    if (key != "optimization") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view inner) { return read_optimization(reader, inner); });
  }));
  return graphs;
}

}  // namespace inferd::onnxruntime
