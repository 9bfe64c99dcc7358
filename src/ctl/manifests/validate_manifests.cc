#include "ctl/manifests/validate_manifests.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ctl/manifests/manifest_report.h"
#include "kserve/model/files/object_files.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

using model::Object;
using model::ObjectFiles;

constexpr size_t kBeginningBytes = 4096;

bool HasEnding(const fs::path& path, std::initializer_list<std::string_view> endings) {
  return std::ranges::find(endings, path.extension().string()) != endings.end();
}

}  // namespace

bool IsManifest(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  if (HasEnding(path, {".yaml", ".yml"})) return true;
  if (!HasEnding(path, {".json"})) return false;
  std::string beginning(kBeginningBytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<size_t>(file.gcount()));
  return beginning.contains("\"apiVersion\"");
}

base::Result<int> ValidateManifests(const std::vector<std::string>& files, const std::vector<std::string>& runtimes,
                                    const Output& out) {
  ObjectFiles known;
  const std::vector<std::string> places = runtimes.empty() ? std::vector{model::DefaultRuntimesFolder()} : runtimes;
  INFERD_RETURN_IF_ERROR(known.AddSound(places).WithContext("runtimes"));

  ManifestReport report;
  ObjectFiles given;
  for (const std::string& file : files) {
    if (const base::Status status = given.Add(file); !status.ok()) report.problems.push_back(status.message());
  }
  std::vector<const Object*> objects;
  for (const Object& object : given.objects()) objects.push_back(&object);
  report.reviews = model::ReviewObjects(objects, known.runtimes());
  report.files = given.files();
  if (out.json) {
    json::Writer writer;
    WriteManifestReport(writer, report);
    out.Write(writer);
  } else {
    PrintManifestReport(out.stream, report);
  }
  return report.problem_count() == 0 ? 0 : 1;
}

}  // namespace inferd::ctl
