#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace inferd::onnxruntime {

// A field of a message in a file; both ends are offsets from the file's start.
struct FileField {
  uint32_t tag = 0;
  uint64_t begin = 0;  // of its value
  uint64_t end = 0;
};

// A protobuf message in a file, read in windows: values that are not needed are skipped, whatever their size. A file
// that cannot be opened counts as empty. Not thread-safe.
class FileWindow final {
 public:
  explicit FileWindow(const std::filesystem::path& file);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  uint64_t size() const;

  // Returns a byte, or nullopt if the file does not have it.
  std::optional<uint8_t> At(uint64_t position);

  // Returns the field at `*position` of a message that ends at `end`, and moves behind it. nullopt if there is none, or
  // it is malformed.
  std::optional<FileField> Next(uint64_t* position, uint64_t end);

  // Returns the first field `tag` of the message in `message`, or nullopt if there is none before a malformed field.
  std::optional<FileField> Find(const FileField& message, uint32_t tag);

  // Returns the value of `field`, at most `bytes_max` bytes of it.
  std::string Text(const FileField& field, size_t bytes_max);

 private:
  std::optional<uint64_t> Varint(uint64_t* position);
  bool Fill(uint64_t position);

  const int file_;
  uint64_t begin_ = 0;  // of bytes_, in the file
  std::string bytes_;
};

}  // namespace inferd::onnxruntime
