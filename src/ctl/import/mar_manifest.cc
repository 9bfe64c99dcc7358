#include "ctl/import/mar_manifest.h"

#include <algorithm>
#include <system_error>

#include "base/buffer.h"
#include "base/system/regular_file.h"
#include "data/json/read.h"
#include "data/zip/zip_directory.h"
#include "net/compression/compression.h"

namespace inferd::ctl {

namespace {

constexpr size_t kManifestBytesMax = 1 << 20;
constexpr std::string_view kManifest = "MAR-INF/MANIFEST.json";

base::Result<std::string> Unpack(const zip::Entry& entry, std::string packed) {
  if (entry.method == zip::kStored) return packed;
  if (entry.method != zip::kDeflated) {
    return std::unexpected(base::InvalidArgument("the manifest is packed by method " + std::to_string(entry.method)));
  }
  const auto unpacked =
      net::Decompress(net::ContentCoding::kDeflate, base::BufferSlice(base::Buffer::CopyOf(packed)),
                      {.bytes_max = kManifestBytesMax, .ratio_max = 1000, .ratio_free_bytes = kManifestBytesMax});
  if (!unpacked.has_value()) return std::unexpected(unpacked.error());
  return std::string(unpacked->view());
}

// Reads a text; null counts as not set.
base::Status ReadMember(json::Reader& reader, std::string& text) {
  INFERD_ASSIGN_OR_RETURN(const json::ValueType type, reader.Peek());
  return type == json::ValueType::kString ? json::ReadText(reader, text) : reader.SkipValue();
}

}  // namespace

base::Result<MarManifest> ParseMarManifest(std::string_view text) {
  MarManifest manifest;
  const auto read_model = [&](json::Reader& reader) {
    return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
      if (key == "modelName") return ReadMember(reader, manifest.name);
      if (key == "modelVersion") return ReadMember(reader, manifest.version);
      if (key == "serializedFile") return ReadMember(reader, manifest.serialized_file);
      if (key == "modelFile") return ReadMember(reader, manifest.model_file);
      if (key == "handler") return ReadMember(reader, manifest.handler);
      return key == "requirementsFile" ? ReadMember(reader, manifest.requirements) : reader.SkipValue();
    });
  };
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(text, [&](json::Reader& reader, std::string_view key) -> base::Status {
    return key == "model" ? read_model(reader) : reader.SkipValue();
  }));
  return manifest;
}

base::Result<MarManifest> ReadMarManifest(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    INFERD_ASSIGN_OR_RETURN(const std::string text,
                            base::ReadRegularFile((path / kManifest).string(), kManifestBytesMax));
    return ParseMarManifest(text);
  }
  INFERD_ASSIGN_OR_RETURN(const base::FileDescriptor file, base::OpenRegularFile(path.string()));
  const auto entries = zip::ReadDirectory(file.get());
  if (entries.empty()) {
    return std::unexpected(
        base::InvalidArgument("it is no ZIP file, or a damaged one (an archive made with "
                              "--archive-format tgz has to be unpacked first: tar xzf)"));
  }
  const auto entry = std::ranges::find(entries, kManifest, &zip::Entry::name);
  if (entry == entries.end()) return std::unexpected(base::NotFound("the archive has no " + std::string(kManifest)));
  INFERD_ASSIGN_OR_RETURN(std::string packed, zip::ReadPacked(file.get(), *entry, kManifestBytesMax));
  INFERD_ASSIGN_OR_RETURN(const std::string text, Unpack(*entry, std::move(packed)));
  return ParseMarManifest(text);
}

}  // namespace inferd::ctl
