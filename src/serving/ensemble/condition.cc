#include "serving/ensemble/condition.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/device_memory.h"
#include "data/tensor/bytes.h"
#include "data/tensor/half.h"

namespace inferd::ensemble {

namespace {

using tensor::DataType;

// A long double represents every 64-bit integer exactly.
static_assert(std::numeric_limits<long double>::digits >= 64);

std::optional<long double> ToNumber(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) return std::nullopt;
  char* end = nullptr;
  const long double number = std::strtold(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<long double> ToTruth(const std::string& text) {
  if (text == "true" || text == "1") return 1;
  if (text == "false" || text == "0") return 0;
  return std::nullopt;
}

template <typename T>
long double Read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<long double>(value);
}

long double ReadHalf(const std::byte* at, float (*widen)(uint16_t)) {
  uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return widen(bits);
}

long double ReadNumber(DataType datatype, const std::byte* at) {
  switch (datatype) {
    case DataType::kBool: return *at != std::byte{0} ? 1 : 0;
    case DataType::kUint8: return Read<uint8_t>(at);
    case DataType::kUint16: return Read<uint16_t>(at);
    case DataType::kUint32: return Read<uint32_t>(at);
    case DataType::kUint64: return Read<uint64_t>(at);
    case DataType::kInt8: return Read<int8_t>(at);
    case DataType::kInt16: return Read<int16_t>(at);
    case DataType::kInt32: return Read<int32_t>(at);
    case DataType::kInt64: return Read<int64_t>(at);
    case DataType::kFp16: return ReadHalf(at, tensor::HalfToFloat);
    case DataType::kBf16: return ReadHalf(at, tensor::Bf16ToFloat);
    case DataType::kFp32: return Read<float>(at);
    case DataType::kFp64: return Read<double>(at);
    default: return 0;
  }
}

}  // namespace

base::Result<Condition> Condition::Make(const config::EnsembleCondition& written, DataType datatype) {
  if (written.test == Kind::kPresent) return Condition(written.test, written.present, std::string());
  const bool orders = written.test == Kind::kLess || written.test == Kind::kGreater;
  if (orders && datatype == DataType::kBytes) {
    return std::unexpected(base::InvalidArgument("texts (BYTES) are not less or greater than a number"));
  }
  if (orders) return Condition(written.test, true, static_cast<long double>(written.number));
  if (datatype == DataType::kInvalid || datatype == DataType::kBytes)
    return Condition(written.test, true, written.text);
  const auto number = datatype == DataType::kBool ? ToTruth(written.text) : ToNumber(written.text);
  if (number.has_value()) return Condition(written.test, true, *number);
  return std::unexpected(
      base::InvalidArgument("'" + written.text + "' is no value of " + std::string(tensor::DataTypeName(datatype))));
}

bool Condition::HoldsOfNothing() const { return test_ == Kind::kNotEquals || (test_ == Kind::kPresent && !present_); }

base::Result<Condition::Scalar> Condition::Element(const core::InferTensor& tensor) {
  const auto count = tensor.shape.ElementCount();
  if (!count.has_value() || *count != 1) {
    return std::unexpected(
        base::InvalidArgument("is compared with one value, and has shape " + tensor.shape.ToString()));
  }
  INFERD_ASSIGN_OR_RETURN(const base::BufferSlice data, base::Readable(tensor.data));
  const std::span<const std::byte> bytes(data.data(), data.size());
  if (tensor.datatype == DataType::kBytes) {
    INFERD_RETURN_IF_ERROR(tensor::CheckPacked(bytes, 1));
    return Scalar(std::string(*tensor::PackedElements(bytes).begin()));
  }
  if (bytes.size() != tensor::ElementSize(tensor.datatype)) {
    return std::unexpected(base::InvalidArgument("has " + std::to_string(bytes.size()) + " bytes"));
  }
  return Scalar(ReadNumber(tensor.datatype, bytes.data()));
}

base::Result<bool> Condition::HoldsOf(const core::InferTensor* tensor) const {
  if (tensor == nullptr) return HoldsOfNothing();
  if (test_ == Kind::kPresent) return present_;
  INFERD_ASSIGN_OR_RETURN(const Scalar value, Element(*tensor));
  return Compare(value);
}

base::Result<bool> Condition::HoldsOf(const core::ParameterValue* parameter) const {
  if (parameter == nullptr) return HoldsOfNothing();
  if (test_ == Kind::kPresent) return present_;
  const bool orders = std::holds_alternative<long double>(operand_);
  if (const auto* const text = std::get_if<std::string>(parameter); text != nullptr) {
    if (!orders) return Compare(*text);
    const auto number = ToNumber(*text);
    if (!number.has_value())
      return std::unexpected(base::InvalidArgument("is compared with a number, and is '" + *text + "'"));
    return Compare(*number);
  }
  long double value = 0;
  std::visit(
      [&value](const auto& held) {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(held)>, std::string>) {
          value = static_cast<long double>(held);
        }
      },
      *parameter);
  if (orders) return Compare(value);
  const std::string& operand = std::get<std::string>(operand_);
  const auto number = std::holds_alternative<bool>(*parameter) ? ToTruth(operand) : ToNumber(operand);
  const bool equal = number.has_value() && *number == value;
  return equal == (test_ == Kind::kEquals);
}

base::Result<bool> Condition::Compare(const Scalar& value) const {
  // A model may answer with another datatype than it declares.
  if (value.index() != operand_.index()) {
    const bool text = std::holds_alternative<std::string>(value);
    return std::unexpected(base::InvalidArgument(text ? "is compared with a number, and is a text"
                                                      : "is compared with a text, and is a number"));
  }
  switch (test_) {
    case Kind::kLess: return std::get<long double>(value) < std::get<long double>(operand_);
    case Kind::kGreater: return std::get<long double>(value) > std::get<long double>(operand_);
    case Kind::kNotEquals: return value != operand_;
    default: return value == operand_;
  }
}

}  // namespace inferd::ensemble
