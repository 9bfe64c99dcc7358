#include "protocols/tfs_grpc/codec/model_spec_reader.h"

#include <cstdint>

namespace inferd::tfs_grpc {

namespace {

using wire::Reader;
using wire::Tag;
using wire::Type;

// google.protobuf.Int64Value
int64_t ReadInt64Value(Reader in, Reader& outer) {
  int64_t value = 0;
  while (const uint32_t tag = in.Next()) {
    if (tag == Tag(1, Type::kVarint)) {
      value = static_cast<int64_t>(in.Varint());
    } else {
      in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("a version is malformed");
  return value;
}

}  // namespace

void ReadModelSpec(Reader& in, RequestedModel& model) {
  model.given = true;
  tfs::ModelSpec& spec = model.spec;
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): spec.model = in.String(); break;
      case Tag(2, Type::kBytes):
        spec.version = std::to_string(ReadInt64Value(in.Message(), in));
        spec.label.clear();
        break;
      case Tag(3, Type::kBytes): model.signature = in.String(); break;
      case Tag(4, Type::kBytes):
        spec.label = in.String();
        spec.version.clear();
        break;
      default: in.Skip();
    }
  }
}

base::Result<RequestedModel> ReadModelSpecOf(std::string_view message, uint32_t number) {
  RequestedModel model;
  Reader in(message);
  while (const uint32_t tag = in.Next()) {
    if (tag != Tag(number, Type::kBytes)) {
      in.Skip();
      continue;
    }
    Reader part = in.Message();
    ReadModelSpec(part, model);
    if (!part.ok()) return std::unexpected(part.status());
  }
  if (!in.ok()) return std::unexpected(in.status());
  return model;
}

base::Result<std::shared_ptr<const core::PinnedModel>> FindModel(core::Dispatcher& dispatcher, RequestedModel& model,
                                                                 tfs::Unready unready) {
  if (!model.given) return std::unexpected(base::InvalidArgument("Missing ModelSpec"));
  if (model.spec.model.empty()) return std::unexpected(base::InvalidArgument("ModelSpec has no name specified."));
  return tfs::FindModel(dispatcher, model.spec, unready);
}

}  // namespace inferd::tfs_grpc
