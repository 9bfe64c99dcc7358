#include <yaml-cpp/yaml.h>

#include <set>

#include "base/system/regular_file.h"
#include "config/option_table/option_assignments.h"

namespace inferd::config {
namespace {

constexpr int kFileDepthMax = 8;

class FileReader {
 public:
  explicit FileReader(std::string path) : path_(std::move(path)) {}

  base::Result<Assignments> Read(const std::string& text) {
    // yaml-cpp throws exceptions.
    try {
      const YAML::Node root = YAML::Load(text);
      if (root.IsNull()) return Assignments();
      if (!root.IsMap()) return std::unexpected(ErrorAt(root, "", "expected a map of options"));
      INFERD_RETURN_IF_ERROR(ReadMap(root, "", "", 0));
    } catch (const YAML::Exception& e) {
      return std::unexpected(base::InvalidArgument(path_ + ":" + std::to_string(e.mark.line + 1) + ":" +
                                                   std::to_string(e.mark.column + 1) + ": " + e.msg));
    }
    return std::move(assignments_);
  }

 private:
  std::string Origin(const YAML::Node& node, const std::string& field) const {
    return path_ + ":" + std::to_string(node.Mark().line + 1) + ":" + std::to_string(node.Mark().column + 1) +
           (field.empty() ? "" : ": " + field);
  }

  base::Status ErrorAt(const YAML::Node& node, const std::string& field, std::string_view message) const {
    return base::InvalidArgument(Origin(node, field) + ": " + std::string(message));
  }

  // `option` has the names so far joined by '-', and `field` by '.', as the person sees them.
  base::Status ReadMap(const YAML::Node& map, const std::string& option, const std::string& field, int depth) {
    if (depth > kFileDepthMax) return ErrorAt(map, field, "nested too deeply");
    for (const auto& member : map) {
      if (!member.first.IsScalar()) return ErrorAt(member.first, field, "expected an option's name");
      std::string part = member.first.Scalar();
      const std::string member_field = field.empty() ? part : field + "." + part;
      std::ranges::replace(part, '_', '-');
      const std::string name = option.empty() ? part : option + "-" + part;
      if (member.second.IsMap()) {
        INFERD_RETURN_IF_ERROR(ReadMap(member.second, name, member_field, depth + 1));
      } else {
        INFERD_RETURN_IF_ERROR(ReadValue(member.first, member.second, name, member_field));
      }
    }
    return base::OkStatus();
  }

  base::Status ReadValue(const YAML::Node& key, const YAML::Node& value, const std::string& name,
                         const std::string& field) {
    if (name == "as") return base::OkStatus();
    const Option* option = FindOption(name);
    if (option == nullptr) {
      return ErrorAt(key, field, "unknown option" + SuggestOption(name, "", DefaultPersonality()));
    }
    if (!seen_.insert(option).second) return ErrorAt(key, field, "given twice");
    if (value.IsScalar()) {
      assignments_.values.push_back({option, value.Scalar(), Origin(value, field)});
      return base::OkStatus();
    }
    if (!value.IsSequence()) return ErrorAt(key, field, "has no value");
    if (!option->repeated) return ErrorAt(value, field, "takes one value, not a list");
    for (const YAML::Node& item : value) {
      if (!item.IsScalar()) return ErrorAt(item, field, "expected a list of plain values");
      assignments_.values.push_back({option, item.Scalar(), Origin(item, field)});
    }
    return base::OkStatus();
  }

  std::string path_;
  Assignments assignments_;
  std::set<const Option*> seen_;
};

}  // namespace

base::Result<Assignments> ReadOptionsFile(const std::string& path) {
  const auto text = base::ReadRegularFile(path, kOptionsFileBytesMax);
  if (!text.has_value()) return std::unexpected(text.error().WithContext("--config"));
  return FileReader(path).Read(*text);
}

}  // namespace inferd::config
