#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace inferd::onnxruntime {

// A field of a message that lies in a file; both ends count from the file's beginning.
struct FileField {
  uint32_t tag = 0;
  uint64_t begin = 0;  // of its value
  uint64_t end = 0;
};

// A protobuf message in a file, which is read in windows: values that nobody looks at are skipped, whatever their size.
// A file that cannot be opened is empty. Not thread-safe.
class FileWindow final {
 public:
  explicit FileWindow(const std::filesystem::path& file);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  uint64_t size() const;

  // Returns a byte. nullopt: the file does not have it.
  std::optional<uint8_t> At(uint64_t position);

  // Returns the field at `*position` of a message that ends at `end`, and moves behind it. nullopt: there is none, or
  // it is malformed.
  std::optional<FileField> Next(uint64_t* position, uint64_t end);

  // Returns the first field `tag` of the message in `message`. nullopt: there is none before what is malformed.
  std::optional<FileField> Find(const FileField& message, uint32_t tag);

  // Returns the value of `field`, of which no more than `bytes_max` bytes.
  std::string Text(const FileField& field, size_t bytes_max);

 private:
  std::optional<uint64_t> Varint(uint64_t* position);
  bool Fill(uint64_t position);

  const int file_;
  uint64_t begin_ = 0;  // of bytes_, in the file
  std::string bytes_;
};

}  // namespace inferd::onnxruntime
