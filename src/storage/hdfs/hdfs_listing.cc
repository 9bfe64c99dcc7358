#include "storage/hdfs/hdfs_listing.h"

#include <utility>

#include "base/text/printable.h"
#include "data/json/read.h"

namespace inferd::storage {

namespace {

constexpr size_t kExceptionBytesMax = 512;

HdfsKind KindOf(std::string_view type) {
  if (type == "FILE") return HdfsKind::kFile;
  return type == "DIRECTORY" ? HdfsKind::kFolder : HdfsKind::kOther;
}

// A replaced file has another identifier, and a grown file another time. HttpFS does not state identifiers.
base::Result<HdfsStatus> ReadFileStatus(json::Reader& reader) {
  HdfsStatus found;
  std::string type;
  uint64_t id = 0;
  uint64_t time_ms = 0;
  const auto read_number = [&](uint64_t& number) -> base::Status {
    INFERD_ASSIGN_OR_RETURN(number, reader.ReadUint64());
    return {};
  };
  bool has_size = false;
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key == "pathSuffix") return json::ReadText(reader, found.name);
    if (key == "type") return json::ReadText(reader, type);
    if (key == "fileId") return read_number(id);
    if (key == "modificationTime") return read_number(time_ms);
    if (key != "length") return reader.SkipValue();
    has_size = true;
    return read_number(found.size);
  }));
  if (type.empty() || !has_size) return std::unexpected(reader.Error("a status without a type or a length"));
  found.kind = KindOf(type);
  if (time_ms != 0) found.tag = std::to_string(id) + "-" + std::to_string(time_ms);
  return found;
}

bool IsName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

}  // namespace

base::Result<HdfsStatus> ReadHdfsStatus(std::string_view text) {
  HdfsStatus found;
  bool has_status = false;
  json::Reader reader(text);
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "FileStatus") return reader.SkipValue();
    has_status = true;
    INFERD_ASSIGN_OR_RETURN(found, ReadFileStatus(reader));
    return {};
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  if (!has_status) return std::unexpected(base::InvalidArgument("the answer has no status of a file"));
  found.name.clear();
  return found;
}

base::Result<std::vector<HdfsStatus>> ReadHdfsListing(std::string_view text) {
  std::vector<HdfsStatus> entries;
  bool has_list = false;
  json::Reader reader(text);
  const auto read_entry = [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(HdfsStatus entry, ReadFileStatus(reader));
    if (!IsName(entry.name)) return reader.Error("an entry without a name of its own");
    entries.push_back(std::move(entry));
    return {};
  };
  INFERD_RETURN_IF_ERROR(json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "FileStatuses") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view inner) -> base::Status {
      if (inner != "FileStatus") return reader.SkipValue();
      has_list = true;
      return json::ReadArray(reader, read_entry);
    });
  }));
  INFERD_RETURN_IF_ERROR(reader.Finish());
  if (!has_list) return std::unexpected(base::InvalidArgument("the answer is no listing of a folder"));
  return entries;
}

HdfsError ReadHdfsError(std::string_view text) {
  HdfsError error;
  std::string message;
  json::Reader reader(text);
  const base::Status read = json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "RemoteException") return reader.SkipValue();
    return json::ReadObject(reader, [&](std::string_view inner) -> base::Status {
      if (inner == "exception") return json::ReadText(reader, error.exception);
      return inner == "message" ? json::ReadText(reader, message) : reader.SkipValue();
    });
  });
  if (!read.ok() || error.exception.empty()) return {};
  message = message.substr(0, message.find('\n'));  // a stack trace of the server follows
  error.text = base::Printable(error.exception + ": " + message, kExceptionBytesMax);
  return error;
}

}  // namespace inferd::storage
