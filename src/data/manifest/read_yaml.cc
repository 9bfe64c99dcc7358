#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "base/text/utf8.h"
#include "data/manifest/plain_scalar.h"
#include "data/manifest/read.h"
#include "data/manifest/source_text.h"
#include "data/manifest/tree_builder.h"

namespace inferd::manifest {

namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

Position PositionOf(const YAML::Mark& mark) { return {.line = mark.line + 1, .column = mark.column + 1}; }

// yaml-cpp's tag for a value without one is "?", or "!" for a quoted scalar or a block.
bool HasNoTag(const std::string& tag) { return tag.empty() || tag == "?" || tag == "!"; }

// yaml-cpp converts the escapes \N (U+0085) and \_ (U+00A0) to one byte each, which is not UTF-8. The text before them
// is.
std::string WithWholeEscapes(const std::string& text) {
  std::string whole;
  for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
    const size_t length = base::Utf8Length(p, end);
    if (length == 0) whole.push_back('\xC2');
    whole.append(p, std::max<size_t>(length, 1));
    p += std::max<size_t>(length, 1);
  }
  return whole;
}

// Makes values from yaml-cpp's events. Aliases are copies of their anchor's value, which the builder counts.
class YamlHandler final : public YAML::EventHandler {
 public:
  explicit YamlHandler(const Limits& limits) : builder_(limits) {}

  const std::optional<Problem>& problem() const { return builder_.problem(); }
  Value Take() { return builder_.Take(); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    anchors_.clear();
    // yaml-cpp does not consume a token that begins nothing, such as ',', and makes empty documents of it endlessly.
    if (mark.pos == begun_) builder_.Fail(PositionOf(mark), "a value cannot begin so");
    begun_ = mark.pos;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (builder_.awaits_key()) return builder_.Fail(PositionOf(mark), "a key is missing");
    Leaf({}, mark, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (problem().has_value()) return;
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) return builder_.Fail(PositionOf(mark), "an alias refers to what it is part of");
    if (builder_.awaits_key()) return Key(found->second, mark, false);
    builder_.Add(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& given) override {
    if (problem().has_value()) return;
    const std::string mended = base::IsUtf8(given) ? std::string() : WithWholeEscapes(given);
    const std::string& text = mended.empty() ? given : mended;
    if (!base::IsUtf8(text)) return builder_.Fail(PositionOf(mark), "an escape stands for no character");
    const bool plain = tag == "?";
    if (builder_.awaits_key()) {
      const Value key = Value::String(text);
      Keep(key, anchor);
      return Key(key, mark, plain && text == "<<");
    }
    if (auto value = Resolve(mark, tag, text)) Leaf(*std::move(value), mark, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(Kind::kList, mark, tag, "seq", anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(Kind::kMap, mark, tag, "map", anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  void Key(const Value& key, const YAML::Mark& mark, bool merge) {
    if (!key.is(Kind::kString)) return builder_.Fail(PositionOf(mark), "a key must be a string");
    builder_.Key(key.text(), PositionOf(mark), merge);
  }

  // Keeps a value for the anchor's aliases. It is counted: nested anchors could store much more than the text has.
  void Keep(const Value& value, YAML::anchor_t anchor) {
    if (anchor != 0 && builder_.Charge(value)) anchors_[anchor] = value;
  }

  void Leaf(Value value, const YAML::Mark& mark, YAML::anchor_t anchor) {
    value.set_position(PositionOf(mark));
    Keep(value, anchor);
    builder_.Add(std::move(value));
  }

  std::optional<Value> Resolve(const YAML::Mark& mark, const std::string& tag, const std::string& text) {
    if (tag == "!" || tag == std::string(kTagPrefix) + "str") return Value::String(text);
    std::optional<Value> value = ResolvePlainScalar(text);
    if (!value.has_value()) {
      builder_.Fail(PositionOf(mark), "the number '" + text + "' has no form in JSON");
      return value;
    }
    if (tag == "?") return value;
    const bool fits =
        (tag.ends_with(":int") && value->is(Kind::kNumber)) || (tag.ends_with(":float") && value->is(Kind::kNumber)) ||
        (tag.ends_with(":bool") && value->is(Kind::kBool)) || (tag.ends_with(":null") && value->is(Kind::kNull));
    if (fits && tag.starts_with(kTagPrefix)) return value;
    FailTag(mark, tag);
    return std::nullopt;
  }

  void FailTag(const YAML::Mark& mark, const std::string& tag) {
    builder_.Fail(PositionOf(mark), "the tag '" + tag + "' does not fit here");
  }

  void Open(Kind kind, const YAML::Mark& mark, const std::string& tag, std::string_view name, YAML::anchor_t anchor) {
    if (problem().has_value()) return;
    if (builder_.awaits_key()) return builder_.Fail(PositionOf(mark), "a key must be a string");
    if (!HasNoTag(tag) && tag != std::string(kTagPrefix) + std::string(name)) return FailTag(mark, tag);
    builder_.Open(kind, PositionOf(mark));
    open_anchors_.push_back(anchor);
  }

  void Close() {
    if (problem().has_value()) return;
    const Value* closed = builder_.Close();
    const YAML::anchor_t anchor = open_anchors_.back();
    open_anchors_.pop_back();
    if (closed != nullptr) Keep(*closed, anchor);
  }

  TreeBuilder builder_;
  std::map<YAML::anchor_t, Value> anchors_;
  std::vector<YAML::anchor_t> open_anchors_;
  int begun_ = -1;  // byte at which the last document began
};

}  // namespace

base::Result<std::vector<Value>> ReadYaml(std::string_view text, std::string_view file, const Limits& limits) {
  if (const auto problem = CheckSourceText(text, limits)) {
    return std::unexpected(base::InvalidArgument(problem->ToString(file)));
  }
  std::vector<Value> documents;
  YamlHandler handler(limits);
  std::istringstream stream{std::string(text)};
  // yaml-cpp throws.
  try {
    YAML::Parser parser(stream);
    while (!handler.problem().has_value() && parser.HandleNextDocument(handler)) {
      if (handler.problem().has_value()) break;
      if (Value document = handler.Take(); !document.is(Kind::kNull)) documents.push_back(std::move(document));
    }
  } catch (const YAML::Exception& e) {
    if (!handler.problem().has_value()) {
      const Problem problem{.position = PositionOf(e.mark), .message = e.msg};
      return std::unexpected(base::InvalidArgument(problem.ToString(file)));
    }
  }
  if (const std::optional<Problem>& problem = handler.problem(); problem.has_value()) {
    return std::unexpected(base::InvalidArgument(problem->ToString(file)));
  }
  return documents;
}

}  // namespace inferd::manifest
