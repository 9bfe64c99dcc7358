#include "kserve/model/pods/strategic_merge.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "data/manifest/problem.h"

namespace inferd::model {

namespace {

using manifest::Kind;
using manifest::Value;

struct MergeKey {
  std::string_view list;
  std::string_view key;
};
constexpr std::array<MergeKey, 9> kMergeKeys = {{{"env", "name"},
                                                 {"volumes", "name"},
                                                 {"containers", "name"},
                                                 {"initContainers", "name"},
                                                 {"imagePullSecrets", "name"},
                                                 {"ports", "containerPort"},
                                                 {"volumeMounts", "mountPath"},
                                                 {"volumeDevices", "devicePath"},
                                                 {"hostAliases", "ip"}}};

std::string_view MergeKeyOf(std::string_view list) {
  const auto found = std::ranges::find(kMergeKeys, list, &MergeKey::list);
  return found == kMergeKeys.end() ? std::string_view() : found->key;
}

base::Status Merge(Value& target, const Value& patch, const std::string& path);

// Merges the items of two lists by their keys.
class ListMerger {
 public:
  ListMerger(std::string_view key, std::string path) : key_(key), path_(std::move(path)) {}

  base::Status Merge(Value& target, const Value& patch) {
    INFERD_RETURN_IF_ERROR(CheckKeys(target));
    INFERD_RETURN_IF_ERROR(CheckKeys(patch));
    const std::vector<Value> base = target.items();
    std::vector<Value> patched;
    for (const Value& item : patch.items()) {
      const size_t place = PlaceIn(base, item);
      Value merged = place < base.size() ? base[place] : item;
      if (place < base.size()) INFERD_RETURN_IF_ERROR(model::Merge(merged, item, path_));
      patched.push_back(std::move(merged));
    }
    target.items() = Interleaved(base, std::move(patched));
    return base::OkStatus();
  }

 private:
  base::Status CheckKeys(const Value& list) const {
    for (size_t i = 0; i < list.items().size(); ++i) {
      const Value* key = list.items()[i].Find(key_);
      if (key != nullptr && (key->is(Kind::kString) || key->is(Kind::kNumber))) continue;
      return base::InvalidArgument(manifest::PathOf(path_, i) +
                                   ": does not contain declared merge key: " + std::string(key_));
    }
    return base::OkStatus();
  }

  // Returns the index of the base item with the same key, or the base's size if there is none.
  size_t PlaceIn(const std::vector<Value>& base, const Value& item) const {
    const std::string& name = item.Find(key_)->text();
    const auto found = std::ranges::find_if(base, [&](const Value& other) { return other.Find(key_)->text() == name; });
    return static_cast<size_t>(found - base.begin());
  }

  // Inserts the base items that the patch lacks into the patched items. Each goes before the first patched item that
  // follows it in the base.
  std::vector<Value> Interleaved(const std::vector<Value>& base, std::vector<Value> patched) const {
    std::vector<size_t> places;  // of each patched item, in the base
    std::vector<bool> replaced(base.size() + 1);
    for (const Value& item : patched) replaced[places.emplace_back(PlaceIn(base, item))] = true;
    std::vector<Value> merged;
    size_t next = 0;
    for (size_t place = 0; place < base.size(); ++place) {
      if (replaced[place]) continue;
      for (; next < patched.size() && (places[next] == base.size() || places[next] < place); ++next) {
        merged.push_back(std::move(patched[next]));
      }
      merged.push_back(base[place]);
    }
    std::move(patched.begin() + static_cast<ptrdiff_t>(next), patched.end(), std::back_inserter(merged));
    return merged;
  }

  std::string_view key_;
  std::string path_;
};

base::Status MergeMember(Value& target, const manifest::Member& member, const std::string& path) {
  Value* present = target.Find(member.key);
  if (present == nullptr || present->is(Kind::kNull)) {
    target.Set(member.key, member.value);
    return base::OkStatus();
  }
  const std::string_view key = MergeKeyOf(member.key);
  if (!key.empty() && present->is(Kind::kList) && member.value.is(Kind::kList)) {
    return ListMerger(key, path).Merge(*present, member.value);
  }
  return Merge(*present, member.value, path);
}

base::Status Merge(Value& target, const Value& patch, const std::string& path) {
  if (!target.is(Kind::kMap) || !patch.is(Kind::kMap)) {
    target = patch;
    return base::OkStatus();
  }
  for (const manifest::Member& member : patch.members()) {
    if (member.value.is(Kind::kNull)) continue;
    INFERD_RETURN_IF_ERROR(MergeMember(target, member, manifest::PathOf(path, member.key)));
  }
  return base::OkStatus();
}

}  // namespace

base::Result<Value> StrategicMerge(const Value& base, const Value& patch) {
  Value merged = base;
  INFERD_RETURN_IF_ERROR(Merge(merged, patch, ""));
  return merged;
}

}  // namespace inferd::model
