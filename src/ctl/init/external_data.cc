#include "ctl/init/external_data.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <set>

#include "base/system/file_descriptor.h"
#include "base/system/regular_file.h"
#include "data/wire/reader.h"

namespace inferd::ctl {

namespace {

using WireReader = wire::Reader;
using wire::Tag;
using wire::Type;

constexpr size_t kMessagesMax = 1'000'000;

// Walks through the messages of a model that may contain tensors.
class Walk final {
 public:
  void Model(WireReader in) {
    while (const uint32_t tag = Next(in)) {
      switch (tag) {
        case Tag(7, Type::kBytes): Graph(in.Message()); break;
        case Tag(25, Type::kBytes): Function(in.Message()); break;
        default: in.Skip();
      }
    }
  }

  const base::Status& status() const { return status_; }
  std::vector<std::string> files() const { return {files_.begin(), files_.end()}; }

 private:
  // Returns 0 at the end, and keeps an error.
  uint32_t Next(WireReader& in) {
    const uint32_t tag = status_.ok() ? in.Next() : 0;
    if (tag == 0 && status_.ok()) status_ = in.status();
    return tag;
  }

  void Count() {
    if (++messages_ > kMessagesMax && status_.ok()) status_ = base::ResourceExhausted("the model has too many tensors");
  }

  void Graph(WireReader in) {
    Count();
    while (const uint32_t tag = Next(in)) {
      switch (tag) {
        case Tag(1, Type::kBytes): Node(in.Message()); break;
        case Tag(5, Type::kBytes): Tensor(in.Message()); break;
        case Tag(15, Type::kBytes): SparseTensor(in.Message()); break;
        default: in.Skip();
      }
    }
  }

  void Function(WireReader in) {
    Count();
    while (const uint32_t tag = Next(in)) tag == Tag(7, Type::kBytes) ? Node(in.Message()) : in.Skip();
  }

  void Node(WireReader in) {
    Count();
    while (const uint32_t tag = Next(in)) tag == Tag(5, Type::kBytes) ? Attribute(in.Message()) : in.Skip();
  }

  void Attribute(WireReader in) {
    while (const uint32_t tag = Next(in)) {
      switch (tag) {
        case Tag(5, Type::kBytes):
        case Tag(10, Type::kBytes): Tensor(in.Message()); break;
        case Tag(6, Type::kBytes):
        case Tag(11, Type::kBytes): Graph(in.Message()); break;
        case Tag(22, Type::kBytes):
        case Tag(23, Type::kBytes): SparseTensor(in.Message()); break;
        default: in.Skip();
      }
    }
  }

  // Its values and its indices are tensors.
  void SparseTensor(WireReader in) {
    while (const uint32_t tag = Next(in)) {
      tag == Tag(1, Type::kBytes) || tag == Tag(2, Type::kBytes) ? Tensor(in.Message()) : in.Skip();
    }
  }

  void Tensor(WireReader in) {
    Count();
    while (const uint32_t tag = Next(in)) tag == Tag(13, Type::kBytes) ? ExternalEntry(in.Message()) : in.Skip();
  }

  void ExternalEntry(WireReader in) {
    std::string_view key;
    std::string_view value;
    while (const uint32_t tag = Next(in)) {
      switch (tag) {
        case Tag(1, Type::kBytes): key = in.Bytes(); break;
        case Tag(2, Type::kBytes): value = in.Bytes(); break;
        default: in.Skip();
      }
    }
    if (key == "location" && !value.empty()) files_.emplace(value);
  }

  base::Status status_;
  std::set<std::string> files_;
  size_t messages_ = 0;
};

}  // namespace

base::Result<std::vector<std::string>> ExternalDataOf(std::string_view model) {
  Walk walk;
  walk.Model(WireReader(model));
  INFERD_RETURN_IF_ERROR(walk.status());
  return walk.files();
}

base::Result<std::vector<std::string>> ExternalDataOfFile(const std::filesystem::path& file) {
  INFERD_ASSIGN_OR_RETURN(const base::FileDescriptor fd, base::OpenRegularFile(file.string()));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return std::unexpected(base::Internal(std::strerror(errno)));
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::vector<std::string>();
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (mapped == MAP_FAILED) {
    return std::unexpected(base::Internal("cannot read '" + file.string() + "': " + std::strerror(errno)));
  }
  const auto unmap = [size](void* memory) { ::munmap(memory, size); };
  const std::unique_ptr<void, decltype(unmap)> memory(mapped, unmap);
  return ExternalDataOf({static_cast<const char*>(mapped), size});
}

}  // namespace inferd::ctl
