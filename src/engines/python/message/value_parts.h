#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "engines/python/message/marshal.h"
#include "engines/python/message/marshal_writer.h"
#include "inferd/engine_abi.h"

namespace inferd::python {

// Readers and writers for parts that several messages share.

inline inferd_text ToText(const std::string& text) { return {text.data(), text.size()}; }

// Returns the items of a tuple that begins with `kind`. Null if it begins otherwise.
inline const Value::Items* ItemsOf(const Value& message, std::string_view kind) {
  const Value::Items* const items = message.items();
  const std::string* const text = items == nullptr || items->empty() ? nullptr : items->front().text();
  return text != nullptr && *text == kind ? items : nullptr;
}
inline const Value::Items* ItemsOf(const Value& message, std::string_view kind, size_t count) {
  const Value::Items* const items = ItemsOf(message, kind);
  return items != nullptr && items->size() == count ? items : nullptr;
}

// Reads a tuple's items in turn. After the first item of another type, ok() is false and all results are empty. Results
// point into the tuple.
class ItemReader final {
 public:
  explicit ItemReader(const Value& tuple) : items_(tuple.items()), ok_(items_ != nullptr) {}
  explicit ItemReader(const Value::Items& items) : items_(&items) {}

  int64_t Int() { return *Of(Next()->number(), &kNoInt); }
  // For the ABI's codes and kinds. Refuses a number outside of int32_t, which would become another code if it were cut.
  int32_t Int32() {
    const int64_t value = Int();
    if (!std::in_range<int32_t>(value)) ok_ = false;
    return std::in_range<int32_t>(value) ? static_cast<int32_t>(value) : 0;
  }
  // A number that is not negative.
  uint64_t Uint() {
    const std::optional<uint64_t> number = Next()->unsigned_number();
    if (!number.has_value()) ok_ = false;
    return number.value_or(0);
  }
  bool Flag() { return *Of(Next()->flag(), &kNoFlag); }
  const std::string& Text() { return *Of(Next()->text(), &kNoText); }
  // An integer or a float.
  double Real() {
    const Value* const value = Next();
    if (const int64_t* const number = value->number()) return static_cast<double>(*number);
    return *Of(std::get_if<double>(&value->of), &kNoReal);
  }
  const Value::Items& Items() { return *Of(Next()->items(), &kNoItems); }
  const Value& Any() { return *Next(); }

  bool ok() const { return ok_; }
  // Returns true if all parts were read without an error and none is left.
  bool Finished() const { return ok_ && at_ == items_->size(); }
  void Refuse() { ok_ = false; }

 private:
  static constexpr int64_t kNoInt = 0;
  static constexpr bool kNoFlag = false;
  static constexpr double kNoReal = 0;
  static inline const std::string kNoText;
  static inline const Value::Items kNoItems;
  static inline const Value kNoValue;

  const Value* Next() {
    if (ok_ && at_ < items_->size()) return &(*items_)[at_++];
    ok_ = false;
    return &kNoValue;
  }
  template <typename T>
  const T* Of(const T* value, const T* none) {
    if (value == nullptr) ok_ = false;
    return value == nullptr ? none : value;
  }

  const Value::Items* items_;
  bool ok_ = true;
  size_t at_ = 0;
};

// Reads a parameter's value. Returns false if it is none. `to` points into `value`.
bool ReadParameter(const Value& value, inferd_parameter& to);
void AddParameter(MarshalWriter& message, inferd_text name, const inferd_parameter& value);

// Makes a final response with the failure. It points into `why`.
inferd_response FailureOf(const base::Status& why);

// The memory with the tensors of one message, which must not overlap: the host copies each tensor, and a short message
// could make it copy the same bytes again and again.
class TensorMemory final {
 public:
  explicit TensorMemory(std::span<const std::byte> bytes) : bytes_(bytes), left_(bytes.size()) {}

  // nullopt if the range is outside of the memory, or all ranges together exceed its size.
  std::optional<inferd_memory> Take(uint64_t offset, uint64_t size);

 private:
  const std::span<const std::byte> bytes_;
  size_t left_;
};

// The place of an input or output that a worker describes.
struct PlacedTensor {
  std::vector<int64_t> shape;
  int32_t datatype = 0;
  inferd_memory memory = {};
};
// Reads (datatype, dimensions, offset, size) in `memory`. Returns false if it is invalid.
bool ReadPlaced(ItemReader& items, TensorMemory& memory, PlacedTensor& to);

}  // namespace inferd::python
