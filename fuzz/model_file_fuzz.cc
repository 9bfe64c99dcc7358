// Fuzzes the files of a version folder. Their format must be detected for any content, each time with the same result,
// and archives must be read within their bounds.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/system/file_descriptor.h"
#include "config/format/model_files.h"
#include "data/zip/zip_directory.h"
#include "fuzz/require.h"

namespace inferd::fuzz {
namespace {

void CheckNames(int file, size_t size) {
  size_t bytes = 0;
  for (const zip::Entry& entry : zip::ReadDirectory(file)) {
    bytes += entry.name.size();
    const auto packed = zip::ReadPacked(file, entry, size);
    Require(!packed.has_value() || packed->size() == entry.packed_size, "a file in an archive has another size");
  }
  Require(bytes <= size, "an archive has more names than bytes");
}

void CheckKind(const std::string& path, std::string_view content) {
  const auto kind = config::IdentifyFile(path);
  Require(kind.has_value(), "a file cannot be read");
  Require(!config::Describe(*kind).empty(), "a kind has no name");
  Require((*kind == config::FileKind::kEmpty) == content.empty(), "an empty file is not told as such");
  const config::FileKind by_prefix = config::IdentifyContent(content);
  Require(by_prefix == config::FileKind::kZip || by_prefix == *kind, "content and file differ");
}

// Checks that a name without an extension belongs to no format, for any content.
void CheckFormats(const std::string& path) {
  const size_t slash = path.rfind('/');
  const config::ModelFiles files{.names = {path.substr(slash + 1)}, .folder = path.substr(0, slash)};
  Require(config::FindModels(files, [](const config::Platform&) { return true; }).empty(), "a bare number is a model");
  Require(config::DescribeForeignFile("no_such_engine", path).empty(), "an unknown engine has formats");
  (void)config::DescribeForeignFile("onnxruntime", path);
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace inferd::fuzz;
  const inferd::base::FileDescriptor file(memfd_create("model", MFD_CLOEXEC));
  Require(file && write(file.get(), data, size) == static_cast<ssize_t>(size), "no memory file");
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  CheckNames(file.get(), size);
  CheckKind(path, {reinterpret_cast<const char*>(data), size});
  CheckFormats(path);
  return 0;
}
