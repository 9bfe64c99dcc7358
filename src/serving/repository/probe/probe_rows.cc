#include "serving/repository/probe/probe_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "data/tensor/data_type.h"
#include "data/tensor/half.h"

namespace inferd::repository {

namespace {

using tensor::DataType;

constexpr size_t kWordBytes = 12;
// Sizes for all dimensions of any size. 0 gives each name another size. From 32 on for images, whose sizes networks
// halve some times.
constexpr std::array<int64_t, 9> kSizes = {0, 3, 1, 2, 4, 8, 16, 64, 224};
struct Range {
  int64_t low;
  int64_t high;
};
// Ranges of integers. Those without 0 first, as models divide by inputs. Then flags, and indices into the smallest
// tables.
constexpr std::array<Range, 4> kRanges = {{{1, 7}, {1, 2}, {0, 1}, {1, 1}}};
constexpr std::array<std::string_view, 8> kWords = {"a", "row", "Of Words", "the", "of", "12", "-3.5", "\xC3\xA9"};

// Sizes for the dimensions of any size, by name. A dimension without a name has its own.
class DimensionSizes {
 public:
  explicit DimensionSizes(int64_t size) : size_(size) {}

  int64_t Of(const std::string& name) {
    if (size_ > 0) return size_;
    if (name.empty()) return next_++;
    const auto [entry, added] = by_name_.try_emplace(name, next_);
    if (added) ++next_;
    return entry->second;
  }

 private:
  const int64_t size_;
  int64_t next_ = 2;
  std::map<std::string, int64_t> by_name_;
};

std::optional<ProbePlan> PlanOf(const core::ModelSignature& signature, int64_t size, Range range, bool optional_too) {
  ProbePlan plan{.given = {}, .row_shapes = {}, .low = range.low, .high = range.high};
  DimensionSizes sizes(size);
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const core::TensorSpec& spec = signature.inputs[i];
    if (spec.optional && !optional_too) continue;
    tensor::Shape shape;
    for (size_t d = 1; d < spec.shape.rank(); ++d) {
      const std::string name = d < spec.dimension_names.size() ? spec.dimension_names[d] : std::string();
      shape.Append(spec.shape[d] >= 0 ? spec.shape[d] : sizes.Of(name));
    }
    if (!shape.ElementCount().has_value()) return std::nullopt;
    plan.given.push_back(static_cast<int>(i));
    plan.row_shapes.push_back(std::move(shape));
  }
  return plan;
}

double FloatOf(RowFill fill, size_t i, double largest, std::mt19937_64& random) {
  const double any = std::uniform_real_distribution<double>(-2, 2)(random);
  switch (fill) {
    case RowFill::kRandom: return any;
    case RowFill::kOther: return 7 * any + 3;
    case RowFill::kZero: return 0;
    case RowFill::kOne: return 1;
    case RowFill::kNegative: return -20 - std::abs(any);
    case RowFill::kAscending: return 0.1 * static_cast<double>(i);
    case RowFill::kDescending: return -0.1 * static_cast<double>(i);
    case RowFill::kLarge: return 1000 * any;
    case RowFill::kHuge: return any < 0 ? -largest : largest;
    case RowFill::kInfinite: return std::numeric_limits<double>::infinity();
    case RowFill::kNan: return std::numeric_limits<double>::quiet_NaN();
  }
  return any;
}

// Never returns the lowest value of a type, see the header. Never so large that sizes made of it would exhaust the
// memory.
int64_t WholeOf(RowFill fill, size_t i, const ProbePlan& plan, bool is_signed, std::mt19937_64& random) {
  const int64_t any = std::uniform_int_distribution<int64_t>(plan.low, plan.high)(random);
  const auto step = static_cast<int64_t>(i % 8);
  switch (fill) {
    case RowFill::kZero: return plan.low;
    case RowFill::kOne: return 1;
    case RowFill::kNegative: return is_signed ? -1 - any : plan.high;
    case RowFill::kAscending: return std::min(plan.low + step, plan.high);
    case RowFill::kDescending: return std::max(plan.high - step, plan.low);
    case RowFill::kLarge: return 50 + any;
    case RowFill::kHuge: return 120 + any;
    default: return any;
  }
}

template <typename T>
void Put(T value, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void PutText(std::string_view text, std::string& bytes) {
  Put(static_cast<uint32_t>(text.size()), bytes);
  bytes += text;
}

std::string TextOf(RowFill fill, size_t i, const ProbePlan& plan, std::mt19937_64& random) {
  if (!plan.words) return std::to_string(WholeOf(fill, i, plan, true, random));
  switch (fill) {
    case RowFill::kZero: return "";
    case RowFill::kOne: return "a";
    case RowFill::kLarge: return std::string(100, 'z');
    default: return std::string(kWords[random() % kWords.size()]);
  }
}

void PutElement(DataType datatype, RowFill fill, size_t i, const ProbePlan& plan, std::mt19937_64& random,
                std::string& bytes) {
  const auto whole = [&](bool is_signed) { return WholeOf(fill, i, plan, is_signed, random); };
  switch (datatype) {
    case DataType::kBool: {
      const bool fixed = fill == RowFill::kZero || fill == RowFill::kOne;
      return Put(static_cast<uint8_t>(fixed ? fill == RowFill::kOne : random() % 2), bytes);
    }
    case DataType::kQuint8:
    case DataType::kUint8: return Put(static_cast<uint8_t>(whole(false)), bytes);
    case DataType::kQuint16:
    case DataType::kUint16: return Put(static_cast<uint16_t>(whole(false)), bytes);
    case DataType::kUint32: return Put(static_cast<uint32_t>(whole(false)), bytes);
    case DataType::kUint64: return Put(static_cast<uint64_t>(whole(false)), bytes);
    case DataType::kQint8:
    case DataType::kInt8: return Put(static_cast<int8_t>(std::min<int64_t>(whole(true), 127)), bytes);
    case DataType::kQint16:
    case DataType::kInt16: return Put(static_cast<int16_t>(whole(true)), bytes);
    case DataType::kQint32:
    case DataType::kInt32: return Put(static_cast<int32_t>(whole(true)), bytes);
    case DataType::kInt64: return Put(whole(true), bytes);
    case DataType::kFp16: return Put(tensor::DoubleToHalf(FloatOf(fill, i, 6e4, random)), bytes);
    case DataType::kBf16: return Put(tensor::DoubleToBf16(FloatOf(fill, i, 1e38, random)), bytes);
    case DataType::kFp32: return Put(static_cast<float>(FloatOf(fill, i, 1e38, random)), bytes);
    case DataType::kFp64: return Put(FloatOf(fill, i, 1e300, random), bytes);
    case DataType::kComplex64:
      Put(static_cast<float>(FloatOf(fill, i, 1e38, random)), bytes);
      return Put(static_cast<float>(FloatOf(fill, i, 1e38, random)), bytes);
    case DataType::kComplex128:
      Put(FloatOf(fill, i, 1e300, random), bytes);
      return Put(FloatOf(fill, i, 1e300, random), bytes);
    case DataType::kBytes: return PutText(TextOf(fill, i, plan, random), bytes);
    case DataType::kInvalid: return;
  }
}

}  // namespace

std::string_view RowFillName(RowFill fill) {
  switch (fill) {
    case RowFill::kRandom: return "random values";
    case RowFill::kOther: return "other random values";
    case RowFill::kZero: return "zeros";
    case RowFill::kOne: return "ones";
    case RowFill::kNegative: return "negative values";
    case RowFill::kAscending: return "ascending values";
    case RowFill::kDescending: return "descending values";
    case RowFill::kLarge: return "large values";
    case RowFill::kHuge: return "huge values";
    case RowFill::kInfinite: return "infinite values";
    case RowFill::kNan: return "NaN";
  }
  return "values";
}

size_t ProbePlan::RowBytesOf(const core::ModelSignature& signature) const {
  size_t bytes = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const DataType datatype = signature.inputs[given[i]].datatype;
    const size_t element = datatype == DataType::kBytes ? kWordBytes : tensor::ElementSize(datatype);
    const auto elements = static_cast<size_t>(row_shapes[i].ElementCount().value_or(0));
    if (element > 0 && elements > std::numeric_limits<size_t>::max() / element / 64) return SIZE_MAX;
    bytes += elements * element;
  }
  return bytes;
}

std::vector<ProbePlan> ProbePlans(const core::ModelSignature& signature, size_t row_bytes_max) {
  const bool optional = std::ranges::any_of(signature.inputs, &core::TensorSpec::optional);
  const bool texts = std::ranges::any_of(
      signature.inputs, [](const core::TensorSpec& spec) { return spec.datatype == DataType::kBytes; });
  const bool free = std::ranges::any_of(
      signature.inputs, [](const core::TensorSpec& spec) { return std::ranges::count(spec.shape.dims(), -1) > 1; });
  std::vector<ProbePlan> plans;
  for (const int64_t size : kSizes) {
    for (const Range range : kRanges) {
      for (const bool optional_too : {true, false}) {
        if (!optional_too && !optional) continue;
        auto plan = PlanOf(signature, size, range, optional_too);
        if (!plan.has_value() || plan->RowBytesOf(signature) > row_bytes_max) continue;
        plans.push_back(*plan);
        plan->words = false;
        if (texts) plans.push_back(*std::move(plan));
      }
    }
    if (!free) break;
  }
  return plans;
}

RowBytes MakeRow(const core::ModelSignature& signature, const ProbePlan& plan, RowFill fill, std::mt19937_64& random) {
  RowBytes row;
  for (size_t input = 0; input < plan.given.size(); ++input) {
    std::string& bytes = row.emplace_back();
    const auto elements = static_cast<size_t>(plan.row_shapes[input].ElementCount().value_or(0));
    for (size_t i = 0; i < elements; ++i) {
      PutElement(signature.inputs[plan.given[input]].datatype, fill, i, plan, random, bytes);
    }
  }
  return row;
}

}  // namespace inferd::repository
