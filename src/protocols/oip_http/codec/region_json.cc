#include "protocols/oip_http/codec/region_json.h"

#include "base/text/base64.h"
#include "data/json/read.h"
#include "data/json/writer.h"

namespace inferd::oip_http {

namespace {

base::Status ReadBytes(json::Reader& reader, std::string_view key, uint64_t& bytes) {
  const auto read = reader.ReadUint64();
  if (!read.has_value()) return read.error().WithContext(key);
  bytes = *read;
  return base::OkStatus();
}

base::Status Missing(std::string_view member) {
  return base::InvalidArgument("Shared memory register request has no '" + std::string(member) + "' field");
}

// Reads {"b64": ".."}.
base::Status ReadHandle(json::Reader& reader, std::string& handle) {
  return json::ReadObject(reader, [&](std::string_view key) -> base::Status {
    if (key != "b64") return reader.SkipValue();
    std::string text;
    INFERD_RETURN_IF_ERROR(json::ReadText(reader, text));
    handle.resize(text.size());
    const auto size = base::DecodeBase64(text, handle.data());
    if (!size.has_value()) return base::InvalidArgument("expected base64");
    handle.resize(*size);
    return base::OkStatus();
  });
}

}  // namespace

base::Result<clientshm::RegionSpec> ReadRegion(std::string_view body, std::string_view name) {
  clientshm::RegionSpec region;
  region.name = name;
  bool has_key = false;
  bool has_size = false;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](json::Reader& reader, std::string_view key) -> base::Status {
    if (key == "key") {
      has_key = true;
      return json::ReadText(reader, region.key).WithContext("key");
    }
    if (key == "offset") return ReadBytes(reader, "offset", region.offset);
    if (key != "byte_size") return reader.SkipValue();
    has_size = true;
    return ReadBytes(reader, "byte_size", region.byte_size);
  }));
  if (!has_key) return std::unexpected(Missing("key"));
  if (!has_size) return std::unexpected(Missing("byte_size"));
  return region;
}

std::string RegionsJson(std::span<const clientshm::RegionSpec> regions) {
  json::Writer writer;
  writer.BeginArray();
  for (const clientshm::RegionSpec& region : regions) {
    writer.BeginObject();
    writer.Member("name", region.name);
    writer.Member("key", region.key);
    writer.Member("offset", region.offset);
    writer.Member("byte_size", region.byte_size);
    writer.EndObject();
  }
  writer.EndArray();
  return writer.TakeString();
}

base::Result<clientshm::DeviceRegionSpec> ReadDeviceRegion(std::string_view body, std::string_view name) {
  clientshm::DeviceRegionSpec region;
  region.name = name;
  bool has_device = false;
  bool has_size = false;
  INFERD_RETURN_IF_ERROR(json::ReadWholeObject(body, [&](json::Reader& reader, std::string_view key) -> base::Status {
    if (key == "raw_handle") return ReadHandle(reader, region.handle).WithContext("raw_handle");
    if (key == "device_id") {
      has_device = true;
      const auto read = reader.ReadInt64();
      if (!read.has_value()) return read.error().WithContext("device_id");
      region.device = *read;
      return base::OkStatus();
    }
    if (key != "byte_size") return reader.SkipValue();
    has_size = true;
    return ReadBytes(reader, "byte_size", region.byte_size);
  }));
  if (region.handle.empty()) return std::unexpected(Missing("raw_handle"));
  if (!has_device) return std::unexpected(Missing("device_id"));
  if (!has_size) return std::unexpected(Missing("byte_size"));
  return region;
}

std::string DeviceRegionsJson(std::span<const clientshm::DeviceRegionSpec> regions) {
  json::Writer writer;
  writer.BeginArray();
  for (const clientshm::DeviceRegionSpec& region : regions) {
    writer.BeginObject();
    writer.Member("name", region.name);
    writer.Member("device_id", region.device);
    writer.Member("byte_size", region.byte_size);
    writer.EndObject();
  }
  writer.EndArray();
  return writer.TakeString();
}

}  // namespace inferd::oip_http
