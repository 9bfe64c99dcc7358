#include "engines/onnxruntime/graph/graph_patch.h"

#include <algorithm>
#include <array>
#include <locale>
#include <set>
#include <stdexcept>

#include "data/wire/append.h"
#include "data/wire/packed.h"
#include "data/wire/reader.h"
#include "engines/onnxruntime/graph/onnx_fields.h"

namespace inferd::onnxruntime {

namespace {

using wire::NumberOf;

constexpr std::string_view kMlDomain = "ai.onnx.ml";
constexpr std::string_view kDefaultLocale = "en_US.UTF-8";
constexpr std::string_view kFallbackLocale = "C.UTF-8";
// Identity is in every version of the default domain; models of any age may import this one.
constexpr int64_t kIdentityOpset = 9;

void AppendMessage(uint32_t tag, std::string_view message, std::string* out) {
  wire::AppendBytes(NumberOf(tag), message, out);
}

// Calls visit(tag, in, field) for every field of `message`. visit may read the value from `in`; `field` has the whole
// field, including its tag. Returns false if visit does, or if the message is malformed.
template <typename Visit>
bool ForEachField(std::string_view message, Visit visit) {
  wire::Reader in(message);
  for (;;) {
    const char* const begin = in.rest().data();
    const uint32_t tag = in.Next();
    if (tag == 0) return in.ok();
    wire::Reader value = in;
    in.Skip();
    if (!in.ok()) return false;
    if (!visit(tag, value, std::string_view(begin, static_cast<size_t>(in.rest().data() - begin)))) return false;
  }
}

// The required parts of a graph's node. Views into the model.
struct Node {
  std::string_view type;
  std::string_view domain;
  std::string_view name;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;  // messages

  bool IsZipMap() const { return type == "ZipMap" && domain == kMlDomain && inputs.size() == 1 && outputs.size() == 1; }
  bool IsStringNormalizer() const { return type == "StringNormalizer" && (domain.empty() || domain == "ai.onnx"); }
};

bool ParseNode(std::string_view message, Node* node) {
  return ForEachField(message, [&](uint32_t tag, wire::Reader& in, std::string_view) {
    switch (tag) {
      case kNodeInput: node->inputs.push_back(in.Bytes()); break;
      case kNodeOutput: node->outputs.push_back(in.Bytes()); break;
      case kNodeName: node->name = in.Bytes(); break;
      case kNodeType: node->type = in.Bytes(); break;
      case kNodeDomain: node->domain = in.Bytes(); break;
      case kNodeAttribute: node->attributes.push_back(in.Bytes()); break;
      default: break;
    }
    return true;
  });
}

struct Attribute {
  std::string_view name;
  std::string_view text;
  std::vector<std::string> list;  // its strings, or its integers as text
};

bool ParseAttribute(std::string_view message, Attribute* attribute) {
  const auto add = [attribute](uint64_t value) {
    attribute->list.push_back(std::to_string(static_cast<int64_t>(value)));
  };
  return ForEachField(message, [&](uint32_t tag, wire::Reader& in, std::string_view) {
    switch (tag) {
      case kAttributeName: attribute->name = in.Bytes(); break;
      case kAttributeString: attribute->text = in.Bytes(); break;
      case kAttributeStrings: attribute->list.emplace_back(in.Bytes()); break;
      case kAttributeInt: add(in.Varint()); break;
      case kAttributeInts: return wire::ForEachVarint(in.Bytes(), add);
      default: break;
    }
    return true;
  });
}

std::string_view NameOfValue(std::string_view value_info) {
  std::string_view name;
  ForEachField(value_info, [&](uint32_t tag, wire::Reader& in, std::string_view) {
    if (tag == kValueName) name = in.Bytes();
    return true;
  });
  return name;
}

// Returns the value of a field in nested messages, the last of each. Empty if it is missing.
std::string_view Inside(std::string_view message, std::initializer_list<uint32_t> path, bool first_only) {
  for (const uint32_t wanted : path) {
    std::string_view found;
    bool seen = false;
    ForEachField(message, [&](uint32_t tag, wire::Reader& in, std::string_view) {
      if (tag == wanted && !(seen && first_only)) {
        found = in.Bytes();
        seen = true;
      }
      return true;
    });
    message = found;
  }
  return message;
}

std::string_view LeadingDimName(std::string_view value_info) {
  return Inside(value_info, {kValueType, kTypeTensor, kTensorShape, kShapeDim, kDimName}, true);
}

// The required parts of a tensor's declaration.
struct Declared {
  int64_t element = 0;
  std::vector<int64_t> dims;  // -1 for any
};

Declared DeclaredAs(std::string_view value_info) {
  Declared declared;
  const auto read_dim = [&declared](std::string_view dim) {
    declared.dims.push_back(-1);
    ForEachField(dim, [&](uint32_t tag, wire::Reader& in, std::string_view) {
      if (tag == kDimValue) declared.dims.back() = static_cast<int64_t>(in.Varint());
      return true;
    });
  };
  ForEachField(Inside(value_info, {kValueType, kTypeTensor}, false),
               [&](uint32_t tag, wire::Reader& in, std::string_view) {
                 if (tag == kTensorElement) declared.element = static_cast<int64_t>(in.Varint());
                 if (tag != kTensorShape) return true;
                 return ForEachField(in.Bytes(), [&](uint32_t part, wire::Reader& dim, std::string_view) {
                   if (part == kShapeDim) read_dim(dim.Bytes());
                   return true;
                 });
               });
  return declared;
}

class GraphPatch final {
 public:
  explicit GraphPatch(const LocaleChoice& locale) : locale_(locale) {}

  // Returns false if it is malformed.
  bool Read(std::string_view graph) {
    std::map<std::string_view, Node> zip_maps;  // by output
    std::set<std::string_view> consumed;
    std::set<std::string_view> outputs;
    std::set<std::string_view> single;  // outputs of one element
    bool first_input = true;
    bool any_rows = true;
    bool classifies = false;
    const bool whole = ForEachField(graph, [&](uint32_t tag, wire::Reader& in, std::string_view) {
      if (tag == kGraphOutput) {
        const std::string_view info = in.Bytes();
        outputs.insert(NameOfValue(info));
        if (DeclaredAs(info).dims == std::vector<int64_t>{1}) single.insert(NameOfValue(info));
      }
      if (tag == kGraphInput) {
        const std::string_view info = in.Bytes();
        const std::vector<int64_t> dims = DeclaredAs(info).dims;
        any_rows &= !dims.empty() && dims[0] < 0;
        const std::string_view name = LeadingDimName(info);
        if (first_input) rows_ = name;
        if (rows_ != name) rows_ = {};
        first_input = false;
      }
      if (tag != kGraphNode) return true;
      Node node;
      if (!ParseNode(in.Bytes(), &node)) return false;
      consumed.insert(node.inputs.begin(), node.inputs.end());
      classifies |= node.type == "TreeEnsembleClassifier" && node.domain == kMlDomain;
      if (node.IsStringNormalizer()) changes_ |= !LocaleOf(node).empty();
      if (node.IsZipMap()) zip_maps.emplace(node.outputs[0], std::move(node));
      return true;
    });
    for (const auto& [output, node] : zip_maps) {
      if (consumed.contains(output) || !outputs.contains(output)) continue;
      if (!ReadLabels(node, &dropped_[output])) return false;
      changes_ = true;
    }
    if (classifies && any_rows && !first_input && !single.empty()) {
      freed_ = std::move(single);
      changes_ = true;
    }
    return whole;
  }

  bool changes() const { return changes_; }
  bool drops_zip_maps() const { return !dropped_.empty(); }

  std::string Write(std::string_view graph) const {
    std::string out;
    out.reserve(graph.size() + 4096);
    ForEachField(graph, [&](uint32_t tag, wire::Reader& in, std::string_view field) {
      if (tag == kGraphNode) {
        WriteNode(in.Bytes(), field, &out);
      } else if (tag == kGraphOutput || tag == kGraphValue) {
        const std::string_view info = in.Bytes();
        const std::string_view name = NameOfValue(info);
        const auto dropped = dropped_.find(name);
        if (tag == kGraphOutput && freed_.contains(name)) {
          AppendMessage(tag, ValueInfo(name, DeclaredAs(info).element, {RowsDim()}), &out);
        } else if (dropped == dropped_.end()) {
          out.append(field);
        } else if (tag == kGraphOutput) {
          AppendMessage(tag, OutputInfo(name, dropped->second.size()), &out);
        }
      } else {
        out.append(field);
      }
      return true;
    });
    return out;
  }

  void MoveLabels(PatchedGraph* patched) {
    for (auto& [output, labels] : dropped_) patched->labels[std::string(output)] = std::move(labels);
  }

 private:
  static bool ReadLabels(const Node& node, std::vector<std::string>* labels) {
    for (const std::string_view message : node.attributes) {
      Attribute attribute;
      if (!ParseAttribute(message, &attribute)) return false;
      if (attribute.name.starts_with("classlabels_") && !attribute.list.empty()) *labels = std::move(attribute.list);
    }
    return true;
  }

  // Returns the replacement of the locale that the node names. Empty to keep it.
  std::string LocaleOf(const Node& node) const {
    std::string_view name = kDefaultLocale;
    for (const std::string_view message : node.attributes) {
      Attribute attribute;
      if (ParseAttribute(message, &attribute) && attribute.name == "locale") name = attribute.text;
    }
    return locale_(name);
  }

  void WriteNode(std::string_view message, std::string_view field, std::string* out) const {
    Node node;
    ParseNode(message, &node);
    if (node.IsZipMap() && dropped_.contains(node.outputs[0])) {
      std::string identity;
      AppendMessage(kNodeInput, node.inputs[0], &identity);
      AppendMessage(kNodeOutput, node.outputs[0], &identity);
      AppendMessage(kNodeName, node.name, &identity);
      AppendMessage(kNodeType, "Identity", &identity);
      return AppendMessage(kGraphNode, identity, out);
    }
    const std::string locale = node.IsStringNormalizer() ? LocaleOf(node) : "";
    if (locale.empty()) {
      out->append(field);
      return;
    }
    std::string changed;
    ForEachField(message, [&](uint32_t tag, wire::Reader& in, std::string_view part) {
      Attribute attribute;
      if (tag == kNodeAttribute) ParseAttribute(in.Bytes(), &attribute);
      if (attribute.name != "locale") changed.append(part);
      return true;
    });
    std::string attribute;
    AppendMessage(kAttributeName, "locale", &attribute);
    AppendMessage(kAttributeString, locale, &attribute);
    wire::AppendNumber(NumberOf(kAttributeKind), kAttributeKindString, &attribute);
    AppendMessage(kNodeAttribute, attribute, &changed);
    AppendMessage(kGraphNode, changed, out);
  }

  // Returns the dimension of the rows: that of the inputs, if all inputs begin with the same name.
  std::string RowsDim() const {
    std::string rows;
    if (!rows_.empty()) AppendMessage(kDimName, rows_, &rows);
    return rows;
  }

  // Describes an output of FP32 [rows, classes].
  std::string OutputInfo(std::string_view name, size_t classes) const {
    std::string columns;
    if (classes > 0) wire::AppendNumber(NumberOf(kDimValue), static_cast<int64_t>(classes), &columns);
    return ValueInfo(name, kElementFloat, {RowsDim(), columns});
  }

  static std::string ValueInfo(std::string_view name, int64_t element, const std::vector<std::string>& dims) {
    std::string shape;
    for (const std::string& dim : dims) AppendMessage(kShapeDim, dim, &shape);
    std::string tensor;
    wire::AppendNumber(NumberOf(kTensorElement), element, &tensor);
    AppendMessage(kTensorShape, shape, &tensor);
    std::string type;
    AppendMessage(kTypeTensor, tensor, &type);
    std::string info;
    AppendMessage(kValueName, name, &info);
    AppendMessage(kValueType, type, &info);
    return info;
  }

  const LocaleChoice& locale_;
  std::map<std::string_view, std::vector<std::string>> dropped_;  // outputs of ZipMaps, with their labels
  std::set<std::string_view> freed_;                              // outputs declared as [1] that have the inputs' rows
  std::string_view rows_;                                         // name of every input's first dimension
  bool changes_ = false;
};

// Returns true if the model imports the default domain, to which Identity belongs.
bool ImportsDefaultDomain(std::string_view model) {
  bool imports = false;
  ForEachField(model, [&](uint32_t tag, wire::Reader& in, std::string_view) {
    if (tag != kModelOpset) return true;
    const std::string_view domain = Inside(in.Bytes(), {kOpsetDomain}, false);
    imports |= domain.empty() || domain == "ai.onnx";
    return true;
  });
  return imports;
}

}  // namespace

std::optional<PatchedGraph> PatchGraph(std::string_view model, const LocaleChoice& locale) {
  GraphPatch patch(locale);
  const bool whole = ForEachField(model, [&](uint32_t tag, wire::Reader& in, std::string_view) {
    return tag != kModelGraph || patch.Read(in.Bytes());
  });
  if (!whole || !patch.changes()) return std::nullopt;
  PatchedGraph patched;
  patched.model.reserve(model.size() + 4096);
  ForEachField(model, [&](uint32_t tag, wire::Reader& in, std::string_view field) {
    if (tag == kModelGraph) {
      AppendMessage(kModelGraph, patch.Write(in.Bytes()), &patched.model);
    } else {
      patched.model.append(field);
    }
    return true;
  });
  if (patch.drops_zip_maps() && !ImportsDefaultDomain(model)) {
    std::string opset;
    AppendMessage(kOpsetDomain, "", &opset);
    wire::AppendNumber(NumberOf(kOpsetVersion), kIdentityOpset, &opset);
    AppendMessage(kModelOpset, opset, &patched.model);
  }
  patch.MoveLabels(&patched);
  return patched;
}

bool HasLocale(const std::string& name) {
  try {
    const std::locale locale(name);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

std::string ChooseLocale(std::string_view name) {
  // Languages whose letters change case differently.
  constexpr std::array kOwnCase = {"tr", "az", "ku", "crh", "tt"};
  const std::string_view language = name.substr(0, name.find_first_of("_.@"));
  if (std::ranges::find(kOwnCase, language) != kOwnCase.end()) return {};
  if (HasLocale(std::string(name)) || !HasLocale(std::string(kFallbackLocale))) return {};
  return std::string(kFallbackLocale);
}

}  // namespace inferd::onnxruntime
