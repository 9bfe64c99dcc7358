#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::zip {

inline std::string LittleEndian(uint64_t number, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes.push_back(static_cast<char>(number >> (8 * i) & 0xff));
  return bytes;
}

struct PackedFile {
  std::string name;
  std::string bytes = "x";  // as they are in the archive
  uint16_t method = 0;
  uint64_t size = 1;  // when unpacked
};

// Makes an archive of these files. If `large`, with the records of archives above 4 GiB.
inline std::string PackZip(const std::vector<PackedFile>& files, bool large = false) {
  std::string archive;
  std::string directory;
  for (const auto& [name, bytes, method, size] : files) {
    const std::string sizes = LittleEndian(0, 4) + LittleEndian(bytes.size(), 4) + LittleEndian(size, 4);
    const std::string offset = LittleEndian(archive.size(), 4);
    const std::string packing = LittleEndian(method, 2) + std::string(4, '\0');
    archive += std::string("PK\3\4", 4) + std::string(4, '\0') + packing + sizes + LittleEndian(name.size(), 2) +
               LittleEndian(0, 2) + name + bytes;
    directory += std::string("PK\1\2", 4) + std::string(6, '\0') + packing + sizes + LittleEndian(name.size(), 2) +
                 std::string(12, '\0') + offset + name;
  }
  const uint64_t begin = archive.size();
  archive += directory;
  if (large) {
    const uint64_t end64 = archive.size();
    archive += std::string("PK\6\6", 4) + std::string(44, '\0') + LittleEndian(begin, 8);
    archive += std::string("PK\6\7", 4) + std::string(4, '\0') + LittleEndian(end64, 8) + std::string(4, '\0');
  }
  archive += std::string("PK\5\6", 4) + std::string(8, '\0') + LittleEndian(directory.size(), 4) +
             LittleEndian(large ? 0xffffffff : begin, 4) + std::string(2, '\0');
  return archive;
}

// Makes an archive of files with these names and the content "x".
inline std::string MakeZip(const std::vector<std::string>& names, bool large = false) {
  std::vector<PackedFile> files;
  for (const std::string& name : names) files.push_back({.name = name});
  return PackZip(files, large);
}

}  // namespace inferd::zip
