#include "engines/torch/tensor_values.h"

#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <span>

#include "engines/torch/function/element_type.h"

namespace inferd::torchscript {

namespace {

at::Tensor ToTensor(const inferd_input& input, bool copy) {
  const inferd_memory& memory = input.pieces[0];  // one_piece: there is exactly one
  const at::IntArrayRef shape(input.shape, input.rank);
  const auto options = at::TensorOptions(*ToElementType(input.datatype));
  if (memory.size == 0) return at::empty(shape, options);
  at::Tensor tensor = at::from_blob(const_cast<void*>(memory.data), shape, options);
  return copy ? tensor.clone() : tensor;
}

base::Status WrongShape(const char* wanted) {
  return base::InvalidArgument(std::string("the model's method takes ") + wanted);
}

base::Result<c10::IValue> ToStringList(const inferd_input& input) {
  for (size_t d = 1; d < input.rank; ++d) {
    if (input.shape[d] != 1)
      return std::unexpected(WrongShape("a list of strings: one dimension, or further ones of 1"));
  }
  const inferd_memory& memory = input.pieces[0];
  const std::span elements(static_cast<const inferd_text*>(memory.data), memory.size / sizeof(inferd_text));
  c10::List<std::string> list;
  list.reserve(elements.size());
  for (const inferd_text& element : elements) list.emplace_back(element.data, element.size);
  return c10::IValue(std::move(list));
}

base::Result<c10::IValue> ToScalar(const inferd_input& input, ValueKind kind) {
  const at::Tensor tensor = ToTensor(input, false);
  if (tensor.numel() != 1) return std::unexpected(WrongShape("a single number"));
  const at::Scalar scalar = tensor.item();
  if (kind == ValueKind::kBool) return c10::IValue(scalar.toBool());
  if (kind == ValueKind::kFloat) return c10::IValue(scalar.toDouble());
  return c10::IValue(scalar.toLong());
}

base::Status NoSuchPart(const ResultPlace& place) {
  return base::InvalidArgument("the model's answer has no part " +
                               (place.key.empty() ? std::to_string(place.position) : "'" + place.key + "'"));
}

// True for a list of parts, as opposed to one part that is a list of strings.
bool IsListOfParts(const c10::IValue& answer) { return answer.isList() && !IsStrings(answer); }

bool HasParts(const c10::IValue& value) { return value.isTuple() || IsListOfParts(value); }

template <typename Visitor>
void ForEachPart(const c10::IValue& value, const Visitor& visit) {
  if (value.isTuple()) {
    for (const c10::IValue& part : value.toTupleRef().elements()) visit(part);
  } else {
    for (const c10::IValue& part : value.toListRef()) visit(part);
  }
}

void AddLeaves(const c10::IValue& value, std::vector<c10::IValue>* leaves) {
  if (!HasParts(value)) {
    leaves->push_back(value);
  } else {
    ForEachPart(value, [leaves](const c10::IValue& part) { AddLeaves(part, leaves); });
  }
}

}  // namespace

c10::IValue Flattened(c10::IValue answer) {
  if (!HasParts(answer)) return answer;
  bool nested = false;
  ForEachPart(answer, [&nested](const c10::IValue& part) { nested = nested || HasParts(part); });
  if (!nested) return answer;
  std::vector<c10::IValue> leaves;
  AddLeaves(answer, &leaves);
  return c10::ivalue::Tuple::create(std::move(leaves));
}

base::Result<c10::IValue> ToValue(const inferd_input& input, ValueKind kind, bool copy) {
  switch (kind) {
    case ValueKind::kStrings: return ToStringList(input);
    case ValueKind::kInt:
    case ValueKind::kFloat:
    case ValueKind::kBool: return ToScalar(input, kind);
    default: return c10::IValue(ToTensor(input, copy));
  }
}

base::Result<c10::IValue> FindPart(const c10::IValue& answer, const ResultPlace& place) {
  if (answer.isGenericDict()) {
    const auto dict = answer.toGenericDict();
    if (place.key.empty()) return std::unexpected(NoSuchPart(place));
    const auto found = dict.find(place.key);
    if (found == dict.end()) return std::unexpected(NoSuchPart(place));
    return found->value();
  }
  if (answer.isTuple()) {
    const auto& elements = answer.toTupleRef().elements();
    if (place.position >= elements.size()) return std::unexpected(NoSuchPart(place));
    return elements[place.position];
  }
  if (IsListOfParts(answer)) {
    const auto list = answer.toListRef();
    if (place.position >= list.size()) return std::unexpected(NoSuchPart(place));
    return list[place.position];
  }
  if (place.position > 0) return std::unexpected(NoSuchPart(place));
  return answer;
}

base::Result<std::vector<std::string>> NameParts(const c10::IValue& answer,
                                                 const std::vector<std::string>& result_names) {
  if (!result_names.empty()) return result_names;
  std::vector<std::string> names;
  if (answer.isGenericDict()) {
    for (const auto& entry : answer.toGenericDict()) {
      if (!entry.key().isString())
        return std::unexpected(base::InvalidArgument("the model's answer is a dict whose keys are no strings"));
      names.push_back(entry.key().toStringRef());
    }
    return names;
  }
  size_t count = 1;
  if (answer.isTuple()) count = answer.toTupleRef().elements().size();
  if (IsListOfParts(answer)) count = answer.toListRef().size();
  for (size_t i = 0; i < count; ++i) names.push_back("OUTPUT__" + std::to_string(i));
  return names;
}

base::Result<at::Tensor> ToDense(const c10::IValue& part) {
  if (part.isInt() || part.isDouble() || part.isBool()) {
    const auto type = part.isInt() ? c10::kLong : part.isDouble() ? c10::kDouble : c10::kBool;
    return at::scalar_tensor(part.toScalar(), at::TensorOptions(type));
  }
  if (!part.isTensor()) return std::unexpected(base::InvalidArgument("is " + part.tagKind() + ", not a tensor"));
  const at::Tensor& tensor = part.toTensor();
  if (!tensor.defined() || tensor.layout() != c10::kStrided || !tensor.device().is_cpu()) {
    return std::unexpected(base::InvalidArgument("is no dense tensor in memory of the CPU"));
  }
  return tensor.resolve_conj().resolve_neg().contiguous();
}

bool IsStrings(const c10::IValue& part) {
  if (part.isString()) return true;
  if (!part.isList()) return false;
  const auto list = part.toList();
  return list.elementType()->kind() == c10::TypeKind::StringType;
}

std::vector<std::string> ToStrings(const c10::IValue& part) {
  if (part.isString()) return {part.toStringRef()};
  std::vector<std::string> strings;
  for (const c10::IValue& element : part.toListRef()) strings.push_back(element.toStringRef());
  return strings;
}

}  // namespace inferd::torchscript
