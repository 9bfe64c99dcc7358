#include "serving/scheduling/batch/batch_io.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "data/tensor/raw.h"

namespace inferd::scheduling {

namespace {

using config::BatchInputKind;
using tensor::DataType;

static_assert(sizeof(float) == sizeof(int32_t));

// Writes numbers in sequence, in the requested datatype.
class NumberWriter {
 public:
  NumberWriter(std::byte* at, DataType datatype) : at_(at), datatype_(datatype) {}

  void Write(int64_t number) {
    if (datatype_ == DataType::kFp32) {
      Store(static_cast<float>(number));
    } else {
      fits_ &= number <= std::numeric_limits<int32_t>::max();
      Store(static_cast<int32_t>(number));
    }
  }
  bool fits() const { return fits_; }

 private:
  template <typename T>
  void Store(T value) {
    std::memcpy(at_, &value, sizeof(value));
    at_ += sizeof(value);
  }

  std::byte* at_;
  const DataType datatype_;
  bool fits_ = true;
};

base::Result<int64_t> Elements(const tensor::Shape& shape) {
  INFERD_ASSIGN_OR_RETURN(const size_t count, tensor::ElementCount(shape));
  return static_cast<int64_t>(count);
}

base::Status TooLarge() { return base::InvalidArgument("the batch is too large for its batch_input"); }

base::Result<tensor::Shape> GeneratedShape(BatchInputKind kind, std::span<const tensor::Shape> shapes) {
  const auto requests = static_cast<int64_t>(shapes.size());
  const int64_t item_rank = shapes.empty() ? 0 : std::max<int64_t>(static_cast<int64_t>(shapes[0].rank()) - 1, 0);
  int64_t rows = 0;
  int64_t elements_max = 0;
  for (const tensor::Shape& shape : shapes) {
    INFERD_ASSIGN_OR_RETURN(const int64_t elements, Elements(shape));
    elements_max = std::max(elements_max, elements);
    if (shape.rank() > 0 && __builtin_add_overflow(rows, shape[0], &rows)) return std::unexpected(TooLarge());
  }
  switch (kind) {
    case BatchInputKind::kElementCount:
    case BatchInputKind::kAccumulatedElementCount: return tensor::Shape{requests};
    case BatchInputKind::kAccumulatedElementCountWithZero: return tensor::Shape{requests + 1};
    case BatchInputKind::kMaxElementCountAsShape: return tensor::Shape{elements_max};
    case BatchInputKind::kItemShape: return tensor::Shape{rows, item_rank};
    case BatchInputKind::kItemShapeFlatten: break;
  }
  int64_t numbers = 0;
  if (__builtin_mul_overflow(rows, item_rank, &numbers)) return std::unexpected(TooLarge());
  return tensor::Shape{numbers};
}

void WriteItemShape(const tensor::Shape& shape, NumberWriter& writer) {
  for (int64_t row = 0; shape.rank() > 1 && row < shape[0]; ++row) {
    for (const int64_t dim : shape.dims().subspan(1)) writer.Write(dim);
  }
}

void WriteNumbers(BatchInputKind kind, std::span<const tensor::Shape> shapes, NumberWriter& writer) {
  int64_t accumulated = 0;
  if (kind == BatchInputKind::kAccumulatedElementCountWithZero) writer.Write(0);
  for (const tensor::Shape& shape : shapes) {
    const int64_t elements = shape.ElementCount().value_or(0);  // GeneratedShape has checked it
    switch (kind) {
      case BatchInputKind::kElementCount: writer.Write(elements); break;
      case BatchInputKind::kAccumulatedElementCount:
      case BatchInputKind::kAccumulatedElementCountWithZero: writer.Write(accumulated += elements); break;
      case BatchInputKind::kItemShape:
      case BatchInputKind::kItemShapeFlatten: WriteItemShape(shape, writer); break;
      case BatchInputKind::kMaxElementCountAsShape: break;
    }
  }
}

base::Result<int> FindSource(const std::string& name, const core::ModelSignature& signature) {
  const int source = signature.FindInput(name);
  if (source < 0) return std::unexpected(base::InvalidArgument("unknown source input name '" + name + "'"));
  return source;
}

}  // namespace

base::Result<BatchPlan> MakeBatchPlan(const config::ModelConfig& config, const core::ModelSignature& signature,
                                      const core::ModelSignature& engine) {
  BatchPlan plan;
  for (const config::BatchInput& input : config.batch_inputs) {
    BatchPlan::Generated& generated = plan.generated.emplace_back();
    INFERD_ASSIGN_OR_RETURN(generated.source, FindSource(input.source_input, signature));
    generated.kind = input.kind;
    generated.datatype = input.datatype;
    generated.engine_input = engine.FindInput(input.target_name);
    if (generated.engine_input < 0) {
      return std::unexpected(
          base::InvalidArgument("the model has no input '" + input.target_name + "', which batch_input makes"));
    }
    if (input.datatype != DataType::kInt32 && input.datatype != DataType::kFp32) {
      return std::unexpected(base::InvalidArgument("batch input data type must be TYPE_INT32 or TYPE_FP32"));
    }
  }
  if (config.batch_outputs.empty()) return plan;
  plan.scatter_sources.assign(signature.outputs.size(), -1);
  for (const config::BatchOutput& output : config.batch_outputs) {
    const int target = signature.FindOutput(output.target_name);
    if (target < 0) {
      return std::unexpected(base::InvalidArgument("unknown target output name '" + output.target_name + "'"));
    }
    INFERD_ASSIGN_OR_RETURN(plan.scatter_sources[target], FindSource(output.source_input, signature));
  }
  return plan;
}

base::Result<GeneratedTensor> MakeBatchInput(BatchInputKind kind, DataType datatype,
                                             std::span<const tensor::Shape> shapes) {
  GeneratedTensor tensor;
  INFERD_ASSIGN_OR_RETURN(tensor.shape, GeneratedShape(kind, shapes));
  const auto bytes = tensor::ByteSize(datatype, tensor.shape);
  if (!bytes || *bytes > kGeneratedBytesMax) return std::unexpected(TooLarge());
  base::Buffer buffer = base::Buffer::Allocate(*bytes);
  if (kind == BatchInputKind::kMaxElementCountAsShape) {
    if (*bytes > 0) std::memset(buffer.data(), 0, *bytes);
  } else {
    NumberWriter writer(buffer.data(), datatype);
    WriteNumbers(kind, shapes, writer);
    if (!writer.fits()) return std::unexpected(TooLarge());
  }
  tensor.data = base::BufferSlice(std::move(buffer));
  return tensor;
}

tensor::Shape ScatteredShape(const tensor::Shape& expected, const tensor::Shape& source) {
  if (expected.rank() != source.rank()) return source;
  tensor::Shape shape = expected;
  for (size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1) shape[i] = source[i];
  }
  return shape;
}

}  // namespace inferd::scheduling
