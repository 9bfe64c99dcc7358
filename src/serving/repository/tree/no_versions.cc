#include "serving/repository/tree/no_versions.h"

#include <algorithm>

#include "base/text/digits.h"

namespace inferd::repository {

namespace {

constexpr size_t kNamesMax = 10;
// Names of model files, of any engine, that a version's folder may contain.
constexpr const char* kModelFiles[] = {"saved_model.pb", "saved_model.pbtxt", "model.onnx", "model.graphdef",
                                       "model.tflite"};

template <typename Numbers>
std::string List(const Numbers& numbers) {
  std::string list;
  size_t count = 0;
  for (const int64_t number : numbers) {
    if (++count > kNamesMax) return list + ", ...";
    list += (list.empty() ? "" : ", ") + std::to_string(number);
  }
  return list.empty() ? "none" : list;
}

// Explains that the base path is itself a version's folder.
std::string HoldsAModel(const ModelLook& look, const std::string& file) {
  const std::filesystem::path dir = look.model_dir.has_filename() ? look.model_dir : look.model_dir.parent_path();
  const std::string advice = base::IsDigits(dir.filename().string())
                                 ? "give its parent, " + dir.parent_path().string() + ", as the base path"
                                 : "move its files to " + (dir / "1").string();
  return ". It holds " + file +
         " itself, and a base path holds a folder for each version, named by its number: " + advice;
}

}  // namespace

std::string DescribeNoVersions(const ModelLook& look) {
  const std::string text = "No versions of servable " + look.name + " found under base path " + look.model_dir.string();
  if (!look.layout.versions.empty()) {
    return text + ". The model_version_policy asks for " + List(look.rules.policy.specific) + "; there are " +
           List(look.layout.VersionNumbers());
  }
  const auto* const file =
      std::ranges::find_if(kModelFiles, [&look](const char* name) { return look.layout.HasFile(name); });
  if (file != std::end(kModelFiles)) return text + HoldsAModel(look, *file);
  return text + ". Did you forget to name your leaf directory as a number (eg. '/1/')?";
}

std::string DescribeMissingVersions(const ModelLook& look) {
  if (look.rules.policy.kind != config::VersionPolicyKind::kSpecific) return {};
  std::string text;
  size_t count = 0;
  for (const int64_t version : look.rules.policy.specific) {
    if (look.layout.versions.contains(version)) continue;
    if (++count > kNamesMax) break;
    text += (text.empty() ? "Version " : "; version ") + std::to_string(version) + " of servable " + look.name +
            ", which was requested to be served as a 'specific' version in the servable's version policy, was not "
            "found in the file system";
  }
  return text;
}

}  // namespace inferd::repository
