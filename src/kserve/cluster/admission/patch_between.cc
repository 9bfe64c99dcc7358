#include "kserve/cluster/admission/patch_between.h"

#include <string>
#include <string_view>
#include <utility>

namespace inferd::cluster {

namespace {

using manifest::Kind;
using manifest::Value;

// Escapes a key as a token of a JSON pointer (RFC 6901).
std::string Token(std::string_view key) {
  std::string token = "/";
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

class PatchWriter {
 public:
  void Compare(const Value& before, const Value& after, const std::string& path) {
    if (before.is(Kind::kMap) && after.is(Kind::kMap)) return CompareMaps(before, after, path);
    const bool lists = before.is(Kind::kList) && after.is(Kind::kList);
    if (lists && before.items().size() <= after.items().size()) return CompareLists(before, after, path);
    if (before != after) Add("replace", path, &after);
  }

  Value Take() { return std::move(operations_); }

 private:
  void CompareMaps(const Value& before, const Value& after, const std::string& path) {
    for (const manifest::Member& member : before.members()) {
      if (after.Find(member.key) == nullptr) Add("remove", path + Token(member.key), nullptr);
    }
    for (const manifest::Member& member : after.members()) {
      const std::string member_path = path + Token(member.key);
      if (const Value* const known = before.Find(member.key)) {
        Compare(*known, member.value, member_path);
      } else {
        Add("add", member_path, &member.value);
      }
    }
  }

  void CompareLists(const Value& before, const Value& after, const std::string& path) {
    const size_t common = before.items().size();
    for (size_t i = 0; i < common; ++i) {
      Compare(before.items()[i], after.items()[i], path + "/" + std::to_string(i));
    }
    for (size_t i = common; i < after.items().size(); ++i) Add("add", path + "/-", &after.items()[i]);
  }

  void Add(std::string_view operation, const std::string& path, const Value* value) {
    Value made = Value::Map({{"op", Value::String(std::string(operation))}, {"path", Value::String(path)}});
    if (value != nullptr) made.Set("value", *value);
    operations_.items().push_back(std::move(made));
  }

  Value operations_ = Value::List();
};

}  // namespace

Value PatchBetween(const Value& before, const Value& after) {
  PatchWriter writer;
  writer.Compare(before, after, "");
  return writer.Take();
}

}  // namespace inferd::cluster
