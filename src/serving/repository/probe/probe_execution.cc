#include "serving/repository/probe/probe_execution.h"

#include <cstring>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/tensor/data_type.h"

namespace inferd::repository {

namespace {

// Returns the rows of one input, one after the other.
base::BufferSlice Joined(const std::vector<RowBytes>& rows, size_t input) {
  size_t bytes = 0;
  for (const RowBytes& row : rows) bytes += row[input].size();
  base::Buffer buffer = base::Buffer::Allocate(bytes);
  size_t at = 0;
  for (const RowBytes& row : rows) {
    if (!row[input].empty()) std::memcpy(buffer.data() + at, row[input].data(), row[input].size());
    at += row[input].size();
  }
  return base::BufferSlice(std::move(buffer));
}

// Cuts an output into its rows. `shape` is that of one row. Returns false if the number of bytes does not match the
// shape.
bool Cut(const core::InferTensor& tensor, const tensor::Shape& shape, std::vector<RowBytes>& rows) {
  if (rows.empty()) return true;
  std::span<const std::byte> left = tensor.data.bytes();
  const size_t elements = static_cast<size_t>(shape.ElementCount().value_or(0));
  for (RowBytes& row : rows) {
    size_t bytes = tensor.data.size() / rows.size();
    if (tensor.datatype == tensor::DataType::kBytes) {
      const auto prefix = tensor::PackedPrefix(left, elements);
      if (!prefix.has_value()) return false;
      bytes = *prefix;
    }
    if (bytes > left.size()) return false;
    row.emplace_back(reinterpret_cast<const char*>(left.data()), bytes);
    left = left.subspan(bytes);
  }
  return left.empty();
}

}  // namespace

RowsAnswer ProbeExecution::Run(core::EngineInstance& instance, const core::ModelSignature& signature,
                               const std::vector<int>& given, const std::vector<tensor::Shape>& row_shapes,
                               const std::vector<RowBytes>& rows, const base::Clock& clock, int64_t deadline_ns) {
  ProbeExecution execution(signature, clock, deadline_ns);
  execution.rows = {static_cast<int64_t>(rows.size())};
  for (size_t i = 0; i < given.size(); ++i) {
    core::ExecutionInput& input = execution.inputs.emplace_back();
    input.index = given[i];
    input.datatype = signature.inputs[given[i]].datatype;
    input.shape = row_shapes[i];
    input.shape.Prepend(static_cast<int64_t>(rows.size()));
    input.pieces.push_back(Joined(rows, i));
  }
  for (size_t i = 0; i < signature.outputs.size(); ++i) execution.outputs.push_back(static_cast<int>(i));
  instance.Execute(execution);
  return execution.Take();
}

void ProbeExecution::Respond(size_t /*i*/, core::EngineResponse response) {
  base::MutexLock lock(mutex_);
  if (answered_) return;
  answered_ = response.final;
  status_ = std::move(response.status);
  tensors_ = std::move(response.outputs);
}

void ProbeExecution::RespondAll(core::EngineResponse response) {
  response.final = true;
  Respond(0, std::move(response));
}

void ProbeExecution::Finish() {
  base::MutexLock lock(mutex_);
  finished_ = true;
  changed_.NotifyAll();
}

RowsAnswer ProbeExecution::Take() {
  base::MutexLock lock(mutex_);
  while (!finished_) changed_.Wait(mutex_);
  RowsAnswer answer;
  answer.status = answered_ ? std::move(status_) : base::Internal("the engine did not answer");
  if (!answer.status.ok()) return answer;
  if (tensors_.size() != signature_.outputs.size()) {
    answer.status = base::Internal("the engine did not answer every output");
    return answer;
  }
  const int64_t count = rows.front();
  answer.rows.resize(static_cast<size_t>(count));
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const core::InferTensor& tensor = tensors_[i];
    tensor::Shape row;
    for (size_t d = 1; d < tensor.shape.rank(); ++d) row.Append(tensor.shape[d]);
    if (tensor.shape.rank() == 0 || tensor.shape[0] != count || !Cut(tensor, row, answer.rows)) {
      answer.odd_output = "output '" + signature_.outputs[i].name + "' of " + std::to_string(count) +
                          (count == 1 ? " row" : " rows") + " has shape " + tensor.shape.ToString();
      return answer;
    }
    answer.shapes.push_back(std::move(row));
  }
  return answer;
}

}  // namespace inferd::repository
