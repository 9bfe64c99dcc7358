#include "kserve/apiserver/patch/merge_patch.h"

#include <utility>

namespace inferd::apiserver {

namespace {

using manifest::Kind;
using manifest::Value;

bool IsDirective(std::string_view key) { return key.starts_with('$'); }

Value Merge(Value target, const Value& patch, bool strategic) {
  if (!patch.is(Kind::kMap)) return patch;
  if (!target.is(Kind::kMap)) target = Value::Map();
  for (const manifest::Member& member : patch.members()) {
    if (strategic && IsDirective(member.key)) continue;
    if (member.value.is(Kind::kNull)) {
      target.Remove(member.key);
      continue;
    }
    Value& own = target.At(member.key);
    own = Merge(std::move(own), member.value, strategic);
  }
  return target;
}

}  // namespace

Value MergePatch(Value target, const Value& patch) { return Merge(std::move(target), patch, false); }

Value StrategicPatch(Value target, const Value& patch) { return Merge(std::move(target), patch, true); }

}  // namespace inferd::apiserver
