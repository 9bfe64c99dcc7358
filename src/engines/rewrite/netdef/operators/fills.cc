// Operators that make tensors from their arguments only: the weights.

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "engines/rewrite/netdef/operators/element_types.h"
#include "engines/rewrite/netdef/operators/rules.h"

namespace inferd::netdef {

namespace {

constexpr size_t kRankMax = 16;

// Returns the number of elements. Notes an error if it is too large.
size_t CountOf(Step& step, const std::vector<int64_t>& shape, Element element) {
  if (shape.size() > kRankMax) step.args().Refuse("its shape has more than 16 dimensions");
  const uint64_t left = step.out().bytes_left() / SizeOf(element);
  uint64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0) step.args().Refuse("its shape has a size below 0");
    if (size <= 0) return 0;
    if (count > left / static_cast<uint64_t>(size)) {
      step.args().Refuse("it makes more than fits into a model, with what was made before it");
      return 0;
    }
    count *= static_cast<uint64_t>(size);
  }
  return count;
}

template <typename T, typename From>
void Append(From value, std::string* raw) {
  const T element = static_cast<T>(value);
  raw->append(reinterpret_cast<const char*>(&element), sizeof(element));
}

template <typename T>
bool AppendInt(int64_t value, std::string* raw) {
  if (value < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
      value > static_cast<int64_t>(std::numeric_limits<T>::max())) {
    return false;
  }
  Append<T>(value, raw);
  return true;
}

// Returns false if the datatype does not have the value.
bool AppendInt(Element element, int64_t value, std::string* raw) {
  switch (element) {
    case Element::kBool: Append<uint8_t>(value != 0 ? 1 : 0, raw); return true;
    case Element::kUint8: return AppendInt<uint8_t>(value, raw);
    case Element::kInt8: return AppendInt<int8_t>(value, raw);
    case Element::kUint16: return AppendInt<uint16_t>(value, raw);
    case Element::kInt16: return AppendInt<int16_t>(value, raw);
    case Element::kInt32: return AppendInt<int32_t>(value, raw);
    case Element::kInt64: return AppendInt<int64_t>(value, raw);
    default: return false;
  }
}

bool IsFloating(Element element) { return element == Element::kFloat || element == Element::kDouble; }

void AppendFloat(Element element, float value, std::string* raw) {
  element == Element::kFloat ? Append<float>(value, raw) : Append<double>(value, raw);
}

bool TakesNothing(Step& step) {
  if (step.inputs() > 0) step.args().Refuse("a shape that comes from inputs is not supported");
  step.args().MustBeZero({"input_as_shape", "input_shape"});
  if (!step.args().Ints("extra_shape").empty()) step.args().Refuse("argument 'extra_shape' is not supported");
  return step.inputs() == 0 && step.Takes(0, 0);
}

void WriteGiven(Step& step, Element element) {
  if (!TakesNothing(step)) return;
  Arguments& args = step.args();
  std::vector<int64_t> shape = args.Ints("shape");
  const size_t count = CountOf(step, shape, element);
  const Argument* const values = args.Find("values");
  std::string raw;
  size_t given = 0;
  if (values != nullptr && IsFloating(element)) {
    given = values->floats.size();
    if (given == count)
      for (const float value : values->floats) AppendFloat(element, value, &raw);
  } else if (values != nullptr) {
    given = values->ints.size();
    if (given == count)
      for (const int64_t value : values->ints) {
        if (!AppendInt(element, value, &raw)) args.Refuse("value " + std::to_string(value) + " is not of its datatype");
      }
  }
  if (given != count) {
    return args.Refuse("its shape has " + std::to_string(count) + " elements, but it has " + std::to_string(given) +
                       " values");
  }
  step.EmitConstant(element, std::move(shape), raw);
}

void WriteFloatFill(Step& step) {
  const bool says = step.args().Has("dtype");
  const Element element = says ? ReadElement(step.args(), "dtype") : Element::kFloat;
  if (!IsFloating(element) && element != Element::kInt32 && element != Element::kInt64 && element != Element::kBool) {
    return step.args().Refuse("argument 'dtype' names no datatype that is supported");
  }
  WriteGiven(step, element);
}

void WriteDoubleFill(Step& step) { step.args().Ignore({"dtype"}), WriteGiven(step, Element::kDouble); }
void WriteIntFill(Step& step) { step.args().Ignore({"dtype"}), WriteGiven(step, Element::kInt32); }
void WriteInt64Fill(Step& step) { step.args().Ignore({"dtype"}), WriteGiven(step, Element::kInt64); }
void WriteBoolFill(Step& step) { step.args().Ignore({"dtype"}), WriteGiven(step, Element::kBool); }

// Without a dtype, the value determines it.
Element ElementOfConstant(Arguments& args) {
  if (args.Has("dtype")) return ReadElement(args, "dtype");
  const Argument* const value = args.Find("value");
  return value != nullptr && value->i.has_value() ? Element::kInt64 : Element::kFloat;
}

void WriteConstantFill(Step& step) {
  if (!TakesNothing(step)) return;
  Arguments& args = step.args();
  const Element element = ElementOfConstant(args);
  if (SizeOf(element) == 0 || element == Element::kFloat16) {
    return args.Refuse("argument 'dtype' names no datatype that is supported");
  }
  std::vector<int64_t> shape = args.Ints("shape");
  const size_t count = CountOf(step, shape, element);
  std::string one;
  if (IsFloating(element)) {
    AppendFloat(element, args.Float("value", 0), &one);
  } else if (const int64_t value = args.Int("value", 0); !AppendInt(element, value, &one)) {
    return args.Refuse("value " + std::to_string(value) + " is not of its datatype");
  }
  std::string raw;
  raw.reserve(count * one.size());
  for (size_t i = 0; i < count; ++i) raw += one;
  step.EmitConstant(element, std::move(shape), raw);
}

constexpr Rule kFillRules[] = {
    {"GivenTensorFill", WriteFloatFill},    {"GivenTensorDoubleFill", WriteDoubleFill},
    {"GivenTensorIntFill", WriteIntFill},   {"GivenTensorInt64Fill", WriteInt64Fill},
    {"GivenTensorBoolFill", WriteBoolFill}, {"ConstantFill", WriteConstantFill},
};

}  // namespace

std::span<const Rule> FillRules() { return kFillRules; }

}  // namespace inferd::netdef
