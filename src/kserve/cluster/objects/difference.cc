#include "kserve/cluster/objects/difference.h"

#include <algorithm>

#include "data/manifest/print.h"
#include "data/manifest/problem.h"
#include "data/manifest/quantity.h"
#include "data/manifest/value_path.h"

namespace inferd::cluster {

namespace {

using manifest::Kind;
using manifest::TextAt;
using manifest::Value;

// True for values that a server omits when it writes an object.
bool IsZero(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: return true;
    case Kind::kBool: return !value.boolean();
    case Kind::kNumber: return value.text() == "0";
    case Kind::kString: return value.text().empty();
    case Kind::kList: return std::ranges::all_of(value.items(), IsZero);
    case Kind::kMap: break;
  }
  return std::ranges::all_of(value.members(), [](const manifest::Member& member) { return IsZero(member.value); });
}

bool IsText(const Value& value) { return value.is(Kind::kNumber) || value.is(Kind::kString); }

bool SaysTheSame(const Value& live, const Value& wanted) {
  if (!IsText(live) || !IsText(wanted)) return live == wanted;
  if (live.text() == wanted.text()) return true;
  const auto one = manifest::ParseQuantity(live.text());
  const auto other = manifest::ParseQuantity(wanted.text());
  return one.has_value() && other.has_value() && one->milli == other->milli;
}

bool HaveNames(const std::vector<Value>& items) {
  return std::ranges::all_of(items, [](const Value& item) { return !TextAt(item, {"name"}).empty(); });
}

class Comparison {
 public:
  void Compare(const std::string& path, const Value* live, const Value& wanted) {
    if (live == nullptr) {
      if (!IsZero(wanted)) Add(path, live, wanted);
    } else if (live->is(Kind::kMap) && wanted.is(Kind::kMap)) {
      for (const manifest::Member& member : wanted.members()) {
        Compare(manifest::PathOf(path, member.key), live->Find(member.key), member.value);
      }
    } else if (live->is(Kind::kList) && wanted.is(Kind::kList)) {
      CompareLists(path, *live, wanted);
    } else if (!SaysTheSame(*live, wanted) && !(IsZero(*live) && IsZero(wanted))) {
      Add(path, live, wanted);
    }
  }

  std::vector<Difference> Take() { return std::move(differences_); }

 private:
  void CompareLists(const std::string& path, const Value& live, const Value& wanted) {
    const bool by_name = !wanted.items().empty() && HaveNames(wanted.items()) && HaveNames(live.items());
    if (!by_name && live.items().size() != wanted.items().size()) return Add(path, &live, wanted);
    for (size_t i = 0; i < wanted.items().size(); ++i) {
      const Value& item = wanted.items()[i];
      const Value* found = by_name ? Named(live, TextAt(item, {"name"})) : &live.items()[i];
      Compare(manifest::PathOf(path, i), found, item);
    }
  }

  static const Value* Named(const Value& list, const std::string& name) {
    const auto found =
        std::ranges::find_if(list.items(), [&](const Value& item) { return TextAt(item, {"name"}) == name; });
    return found == list.items().end() ? nullptr : &*found;
  }

  void Add(const std::string& path, const Value* live, const Value& wanted) {
    differences_.push_back({.path = path,
                            .live = live == nullptr ? std::string() : manifest::ToJson(*live),
                            .wanted = manifest::ToJson(wanted)});
  }

  std::vector<Difference> differences_;
};

}  // namespace

std::vector<Difference> FindDifferences(const Value& live, const Value& wanted) {
  Comparison comparison;
  comparison.Compare("", &live, wanted);
  return comparison.Take();
}

}  // namespace inferd::cluster
