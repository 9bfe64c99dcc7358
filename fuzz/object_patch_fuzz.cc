// Fuzzes patches of objects, of the API's three types. The result must print and read back equal, and a second apply of
// the same document must change nothing.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/manifest/print.h"
#include "data/manifest/read.h"
#include "fuzz/require.h"
#include "kserve/apiserver/patch/json_patch.h"
#include "kserve/apiserver/patch/managed_fields.h"
#include "kserve/apiserver/patch/merge_patch.h"

namespace inferd::fuzz {
namespace {

using manifest::Value;

// Small limits, so that no input takes long.
constexpr manifest::Limits kLimits = {.nodes_max = 5'000, .bytes_max = 200'000};
constexpr manifest::Limits kPrintedLimits = {.file_bytes_max = 64 << 20, .depth_max = 300, .bytes_max = 64'000'000};

void CheckPrinted(const Value& value) {
  const auto read = manifest::ReadJson(manifest::ToJson(value), "printed", kPrintedLimits);
  Require(read.has_value() && read->size() == 1 && read->front() == value, "what was patched reads back differently");
}

void CheckApply(const Value& live, const Value& wanted) {
  if (!live.is(manifest::Kind::kMap) || !wanted.is(manifest::Kind::kMap)) return;
  apiserver::ManagedFields managed;
  managed.Update({.manager = "writer", .api_version = "v1", .time = "now"}, Value::Map(), live);
  const apiserver::FieldWriter me = {.manager = "me", .api_version = "v1", .time = "now"};
  apiserver::ManagedFields tried = managed;
  const auto refused = tried.Apply(me, live, wanted, false);
  Require(!refused.conflicts.empty() || refused.object.is(manifest::Kind::kMap), "neither applied nor refused");
  auto applied = managed.Apply(me, live, wanted, true);
  Require(applied.conflicts.empty(), "a conflict though it was forced");
  CheckPrinted(applied.object);
  const auto again = managed.Apply(me, applied.object, wanted, true);
  Require(again.object == applied.object, "applied again, it is another object");
  const apiserver::FieldSet fields = apiserver::FieldsOf(wanted);
  Require(apiserver::FromFieldsV1(apiserver::ToFieldsV1(fields)) == fields, "fields read back differently");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd;
  const std::vector<char> copy(data, data + size);
  const auto documents = manifest::ReadJson(std::string_view(copy.data(), copy.size()), "f", fuzz::kLimits);
  if (!documents.has_value() || documents->size() < 2) return 0;
  const manifest::Value& object = (*documents)[0];
  const manifest::Value& patch = (*documents)[1];
  const apiserver::JsonPatchLimits limits = {.copied_values_max = 10'000};
  const auto patched = apiserver::JsonPatch(object, patch, limits);
  if (patched.has_value()) {
    fuzz::CheckPrinted(*patched);
  } else {
    fuzz::Require(!patched.error().message().empty(), "a refusal without words");
  }
  fuzz::CheckPrinted(apiserver::MergePatch(object, patch));
  fuzz::CheckPrinted(apiserver::StrategicPatch(object, patch));
  fuzz::CheckApply(object, patch);
  return 0;
}
