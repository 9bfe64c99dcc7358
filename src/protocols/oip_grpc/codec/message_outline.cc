#include "protocols/oip_grpc/codec/message_outline.h"

#include "data/wire/reader.h"

namespace inferd::oip_grpc {

namespace {

constexpr uint32_t kModelName = wire::Tag(1, wire::Type::kBytes);
constexpr uint32_t kModelVersion = wire::Tag(2, wire::Type::kBytes);
constexpr uint32_t kId = wire::Tag(3, wire::Type::kBytes);
constexpr uint32_t kRawInputContents = wire::Tag(7, wire::Type::kBytes);

}  // namespace

MessageOutline ReadOutline(std::string_view message) {
  MessageOutline outline;
  wire::Reader in(message);
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case kModelName: outline.model_name = in.String(); break;
      case kModelVersion: outline.model_version = in.String(); break;
      case kId: outline.id = in.String(); break;
      case kRawInputContents: outline.raw_bytes += in.Bytes().size(); break;
      default: in.Skip();
    }
  }
  return outline;
}

}  // namespace inferd::oip_grpc
