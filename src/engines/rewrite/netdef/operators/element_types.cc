#include "engines/rewrite/netdef/operators/element_types.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace inferd::netdef {

namespace {

struct Row {
  int64_t number;  // caffe2.proto's TensorProto.DataType
  std::string_view name;
  Element element;
};

constexpr Row kRows[] = {
    {1, "FLOAT", Element::kFloat},    {2, "INT32", Element::kInt32},  {5, "BOOL", Element::kBool},
    {6, "UINT8", Element::kUint8},    {7, "INT8", Element::kInt8},    {8, "UINT16", Element::kUint16},
    {9, "INT16", Element::kInt16},    {10, "INT64", Element::kInt64}, {12, "FLOAT16", Element::kFloat16},
    {13, "DOUBLE", Element::kDouble},
};

}  // namespace

Element ReadElement(Arguments& args, std::string_view argument) {
  const Argument* const found = args.Find(argument);
  if (found == nullptr) return Element::kUndefined;
  std::string name(found->s.value_or(""));
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  for (const Row& row : kRows) {
    if (found->i == row.number || (found->s.has_value() && name == row.name)) return row.element;
  }
  return Element::kUndefined;
}

Attributes CastTo(Element element) { return Attributes().Int("to", static_cast<int64_t>(element)); }

}  // namespace inferd::netdef
