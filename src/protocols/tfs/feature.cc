#include "protocols/tfs/feature.h"

#include <cmath>
#include <limits>
#include <utility>

#include "data/tensor/bytes.h"
#include "data/tensor/half.h"
#include "data/tensorjson/nested_parser.h"
#include "protocols/tfs/model_spec.h"

namespace inferd::tfs {

namespace {

using base::InvalidArgument;
using tensor::DataType;

// Returns the shape of a row of `spec`, whose first dimension is the examples. `size` is the number of elements per
// example.
base::Result<tensor::Shape> RowShape(const core::TensorSpec& spec, size_t size) {
  tensor::Shape row(spec.shape.dims().subspan(spec.shape.rank() > 0 ? 1 : 0));
  size_t known = 1;
  int64_t* free = nullptr;
  for (size_t i = 0; i < row.rank(); ++i) {
    if (row[i] < 0) {
      if (free != nullptr) {
        return std::unexpected(InvalidArgument("input '" + spec.name + "' of shape " + spec.shape.ToString() +
                                               " cannot be filled from a flat list"));
      }
      free = &row[i];
    } else if (__builtin_mul_overflow(known, static_cast<size_t>(row[i]), &known)) {
      known = 0;
    }
  }
  if (free != nullptr && known > 0) {
    *free = static_cast<int64_t>(size / known);
    known *= size / known;
  }
  if (known == size) return row;
  return std::unexpected(InvalidArgument(
      "Key: " + spec.name + ".  Number of values != expected.  values size: " + std::to_string(size) +
      " but output shape: " + tensor::Shape(spec.shape.dims().subspan(spec.shape.rank() > 0 ? 1 : 0)).ToString()));
}

}  // namespace

std::string_view KindName(Feature::Kind kind) {
  switch (kind) {
    case Feature::Kind::kInt64: return "int64";
    case Feature::Kind::kFloat: return "float";
    case Feature::Kind::kBytes: return "bytes";
    case Feature::Kind::kNone: break;
  }
  return "UNKNOWN";
}

base::Status FeatureColumn::Add(const Feature& feature) {
  if (feature.kind == Feature::Kind::kNone) {
    return InvalidArgument("Feature: " + spec_.name +
                           " (data type: " + std::string(tensorjson::TensorflowTypeName(spec_.datatype)) +
                           ") is required but could not be found.");
  }
  if (rows_ > 0 && feature.size() != row_size_) {
    return InvalidArgument("Key: " + spec_.name + ".  Number of values != expected.  values size: " +
                           std::to_string(feature.size()) + " but the first example has " + std::to_string(row_size_));
  }
  if (!tensor::IsPredictV2(spec_.datatype)) return Mismatch(feature);
  row_size_ = feature.size();
  ++rows_;
  switch (feature.kind) {
    case Feature::Kind::kInt64: return AddIntegers(feature);
    case Feature::Kind::kFloat: return AddReals(feature);
    default: return AddTexts(feature);
  }
}

base::Status FeatureColumn::Mismatch(const Feature& feature) const {
  return InvalidArgument("Key: " + spec_.name +
                         ".  Data types don't match. Data type: " + std::string(KindName(feature.kind)) +
                         " but expected type: " + std::string(tensorjson::TensorflowTypeName(spec_.datatype)));
}

base::Status FeatureColumn::OutOfRange(const std::string& value) const {
  return InvalidArgument("Key: " + spec_.name + ".  Value " + value +
                         " is not of expected type: " + std::string(tensorjson::TensorflowTypeName(spec_.datatype)));
}

// Returns false if the datatype cannot hold it.
bool FeatureColumn::StoreInteger(int64_t value) {
  const auto store = [this, value]<typename T>(T) {
    const bool fits = std::in_range<T>(value);
    if (fits) Store(static_cast<T>(value));
    return fits;
  };
  switch (spec_.datatype) {
    case DataType::kBool: return value >= 0 && value <= 1 && store(uint8_t{});
    case DataType::kUint8: return store(uint8_t{});
    case DataType::kUint16: return store(uint16_t{});
    case DataType::kUint32: return store(uint32_t{});
    case DataType::kUint64: return store(uint64_t{});
    case DataType::kInt8: return store(int8_t{});
    case DataType::kInt16: return store(int16_t{});
    case DataType::kInt32: return store(int32_t{});
    case DataType::kInt64: return store(int64_t{});
    default: return StoreReal(static_cast<double>(value));
  }
}

bool FeatureColumn::StoreReal(double value) {
  const auto store = [this, value](uint16_t bits, float widened) {
    if (std::isfinite(value) && !std::isfinite(widened)) return false;
    Store(bits);
    return true;
  };
  switch (spec_.datatype) {
    case DataType::kFp16: {
      const uint16_t bits = tensor::DoubleToHalf(value);
      return store(bits, tensor::HalfToFloat(bits));
    }
    case DataType::kBf16: {
      const uint16_t bits = tensor::DoubleToBf16(value);
      return store(bits, tensor::Bf16ToFloat(bits));
    }
    case DataType::kFp64: Store(value); return true;
    default:
      if (std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max()) return false;
      Store(static_cast<float>(value));
      return true;
  }
}

base::Status FeatureColumn::AddIntegers(const Feature& feature) {
  if (spec_.datatype == DataType::kBytes) return Mismatch(feature);
  for (const int64_t value : feature.integers) {
    if (!StoreInteger(value)) return OutOfRange(std::to_string(value));
  }
  return {};
}

base::Status FeatureColumn::AddReals(const Feature& feature) {
  if (!IsFloat(spec_.datatype)) return Mismatch(feature);
  for (const double value : feature.reals) {
    if (!StoreReal(value)) return OutOfRange(std::to_string(value));
  }
  return {};
}

base::Status FeatureColumn::AddTexts(const Feature& feature) {
  if (spec_.datatype != DataType::kBytes) return Mismatch(feature);
  for (const std::string& text : feature.texts) {
    if (text.size() > tensor::kBytesElementMax) return OutOfRange("of " + std::to_string(text.size()) + " bytes");
    Store(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  return {};
}

base::Status FeatureColumn::Repeat(size_t rows, uint64_t bytes_max) {
  const std::string row = std::exchange(bytes_, {});
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(row.size(), rows, &bytes) || bytes > bytes_max) {
    return base::ResourceExhausted("feature '" + spec_.name + "' of the context, for " + std::to_string(rows) +
                                   " examples, is more than " + std::to_string(bytes_max) + " bytes");
  }
  bytes_.reserve(row.size() * rows);
  for (size_t i = 0; i < rows; ++i) bytes_ += row;
  rows_ = rows;
  return {};
}

base::Result<core::InferTensor> FeatureColumn::Take() {
  INFERD_ASSIGN_OR_RETURN(tensor::Shape shape, RowShape(spec_, row_size_));
  shape.Prepend(static_cast<int64_t>(rows_));
  core::InferTensor tensor;
  tensor.name = spec_.name;
  tensor.datatype = spec_.datatype;
  tensor.shape = std::move(shape);
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(bytes_));
  return tensor;
}

}  // namespace inferd::tfs
