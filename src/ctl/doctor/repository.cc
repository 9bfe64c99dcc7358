#include "ctl/doctor/repository.h"

#include <cstddef>
#include <system_error>

#include "ctl/doctor/size_text.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;

constexpr size_t kCountFilesMax = 100'000;
constexpr int kCountDepthMax = 32;
constexpr uint64_t kDiskNeeded = uint64_t{100} << 20;
constexpr uint64_t kDiskWanted = uint64_t{1} << 30;

class FolderCount final {
 public:
  explicit FolderCount(Repository& repository) : repository_(repository) {}

  void Folder(const fs::path& folder, int depth) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with('.')) continue;
      if (++entries_ > kCountFilesMax || depth > kCountDepthMax) {
        repository_.is_counted = false;
        return;
      }
      std::error_code gone;
      if (it->is_directory(gone)) {
        if (depth == 0) ++repository_.models;
        Folder(it->path(), depth + 1);
      } else if (it->is_regular_file(gone)) {
        const uint64_t size = it->file_size(gone);
        if (!gone) repository_.bytes += size;
      }
    }
    if (error && repository_.unreadable.empty()) {
      repository_.unreadable = QuotedPath(folder) + ": " + error.message();
    }
  }

 private:
  Repository& repository_;
  size_t entries_ = 0;
};

}  // namespace

Repository ReadRepository(const fs::path& path) {
  Repository repository{.path = path.string(), .unreadable = {}};
  std::error_code error;
  repository.is_there = fs::is_directory(path, error);
  if (repository.is_there) FolderCount(repository).Folder(path, 0);
  const fs::space_info space = fs::space(repository.is_there ? path : fs::path("."), error);
  if (!error) {
    repository.disk_free = space.available;
    repository.disk_bytes = space.capacity;
  }
  return repository;
}

Findings JudgeRepository(const Repository& repository, bool must_exist) {
  using enum Finding::Level;
  Findings findings;
  const std::string path = QuotedPath(repository.path);
  const std::string count = std::to_string(repository.models) + (repository.models == 1 ? " model, " : " models, ") +
                            (repository.is_counted ? "" : "more than ") + SizeText(repository.bytes);
  if (!repository.is_there) {
    findings.push_back({"repository", must_exist ? kProblem : kOk, "there is no folder " + path,
                        must_exist ? "make it with a model in it: inferctl init FILE" : ""});
  } else if (!repository.unreadable.empty()) {
    findings.push_back({"repository", kProblem, "cannot read " + repository.unreadable,
                        "let the server's user read it: chmod -R a+rX " + path});
  } else if (repository.models == 0) {
    findings.push_back({"repository", must_exist ? kProblem : kAdvice, path + " has no models",
                        "put one into it: inferctl init FILE"});
  } else {
    findings.push_back({"repository", kOk, path + ": " + count});
  }
  if (repository.disk_bytes == 0) return findings;
  Finding disk{"disk", kOk, SizeText(repository.disk_free) + " free of " + SizeText(repository.disk_bytes)};
  if (repository.disk_free < kDiskWanted) {
    disk.level = repository.disk_free < kDiskNeeded ? kProblem : kAdvice;
    disk.to_do = "make room: new versions, downloads, logs and traces need some";
  }
  findings.push_back(disk);
  return findings;
}

}  // namespace inferd::ctl
