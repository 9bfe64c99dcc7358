#include "kserve/model/api/empty_values.h"

#include <algorithm>
#include <utility>

namespace inferd::model {

using manifest::Kind;
using manifest::Value;

bool IsUnset(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return true;
    case Kind::kList: return value.items().empty();
    case Kind::kMap:
      return std::ranges::all_of(value.members(), [](const manifest::Member& member) { return IsUnset(member.value); });
    default: return false;
  }
}

Value WithoutNulls(Value value) {
  std::erase_if(value.members(), [](const manifest::Member& member) { return member.value.is(Kind::kNull); });
  for (manifest::Member& member : value.members()) member.value = WithoutNulls(std::move(member.value));
  for (Value& item : value.items()) item = WithoutNulls(std::move(item));
  return value;
}

}  // namespace inferd::model
