#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace inferd::support {

// A folder that lives as long as the test.
class TempDir final {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "inferd-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

  // Makes the folders in between.
  void Write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << text;
  }
  void MakeDir(const std::string& dir) const { std::filesystem::create_directories(path_ / dir); }
  void Remove(const std::string& what) const { std::filesystem::remove_all(path_ / what); }

 private:
  std::filesystem::path path_;
};

}  // namespace inferd::support
