#include "protocols/trtis/infer_message.h"

#include <cstring>
#include <utility>

#include "data/wire/reader.h"
#include "data/wire/writer.h"
#include "protocols/trtis/model_version.h"
#include "protocols/v2/parameters.h"

namespace inferd::trtis {

namespace {

using wire::Reader;
using wire::Tag;
using wire::Type;

constexpr uint32_t kRawInput = Tag(4, Type::kBytes);

void ReadInputField(Reader in, InferHeader::Input& input, Reader& outer) {
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): input.name = in.String(); break;
      case Tag(2, Type::kVarint): input.byte_size = in.Varint(); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("an input is malformed");
}

void ReadClass(Reader in, uint32_t& count, Reader& outer) {
  while (const uint32_t tag = in.Next()) {
    if (tag == Tag(1, Type::kVarint)) {
      count = static_cast<uint32_t>(in.Varint());
    } else {
      in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("cls is malformed");
}

void ReadOutputField(Reader in, InferHeader::Output& output, Reader& outer) {
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): output.name = in.String(); break;
      case Tag(2, Type::kVarint): output.byte_size = in.Varint(); break;
      case Tag(3, Type::kBytes): {
        if (!output.classes) output.classes = 0;
        ReadClass(in.Message(), *output.classes, in);
        break;
      }
      default: in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("an output is malformed");
}

// Limits the tensors: a tensor's field is a few bytes, but its parsed form is many times as large.
void ReadTensor(Reader& in, auto& tensors, auto read, Reader& outer) {
  if (tensors.size() < v2::kTensorsMax) return read(in.Message(), tensors.emplace_back(), in);
  constexpr const char* kTooMany = "meta_data has too many tensors";
  outer.Fail(kTooMany);
  in.Fail(kTooMany);
}

void ReadHeader(Reader in, InferHeader& header, Reader& outer) {
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kVarint): header.batch_size = static_cast<uint32_t>(in.Varint()); break;
      case Tag(2, Type::kBytes): ReadTensor(in, header.inputs, ReadInputField, outer); break;
      case Tag(3, Type::kBytes): ReadTensor(in, header.outputs, ReadOutputField, outer); break;
      default: in.Skip();
    }
  }
  if (!in.ok()) outer.Fail("meta_data is malformed");
}

}  // namespace

base::Result<InferMessage> ReadInferMessage(const base::BufferSlice& message) {
  InferMessage read;
  base::Result<std::string> version;
  Reader in(message.view());
  while (const uint32_t tag = in.Next()) {
    switch (tag) {
      case Tag(1, Type::kBytes): read.model = in.String(); break;
      case Tag(2, Type::kBytes): version = ReadVersion(in.String()); break;
      // A negative int32 has its sign in all 64 bits.
      case Tag(2, Type::kVarint): version = ReadVersion(static_cast<int64_t>(in.Varint())); break;
      case Tag(3, Type::kBytes): ReadHeader(in.Message(), read.header, in); break;
      case kRawInput: {
        if (read.raws.size() == v2::kTensorsMax) {
          in.Fail("too many raw_input");
          break;
        }
        const std::string_view raw = in.Bytes();
        const size_t at = raw.empty() ? 0 : static_cast<size_t>(raw.data() - message.view().data());
        read.raws.push_back(message.Sub(at, raw.size()));
        break;
      }
      default: in.Skip();
    }
  }
  INFERD_RETURN_IF_ERROR(in.status());
  INFERD_ASSIGN_OR_RETURN(read.version, std::move(version));
  return read;
}

size_t RawInputAt(std::span<const std::byte> beginning) {
  Reader in({reinterpret_cast<const char*>(beginning.data()), beginning.size()});
  while (const uint32_t tag = in.Next()) {
    if (tag == kRawInput) {
      const size_t at = in.BytesAt();
      return in.ok() ? at : 0;
    }
    in.Skip();
  }
  return 0;
}

net::grpc::Message WriteInferAnswer(const RequestStatus& status, const Answer& answer,
                                    std::span<base::BufferSlice> raws) {
  const std::string header = AnswerMessage(answer);
  const std::string ended = StatusMessage(status);
  constexpr size_t kTagAndLength = wire::kTagMax + wire::kTagMax;
  wire::Writer out(header.size() + ended.size() + (2 + raws.size()) * kTagAndLength);
  for (size_t i = raws.size(); i-- > 0;) out.Slice(3, std::move(raws[i]));
  std::memcpy(out.Bytes(2, header.size()), header.data(), header.size());
  std::memcpy(out.Bytes(1, ended.size()), ended.data(), ended.size());
  return out.Take();
}

net::grpc::Message WriteStatusAnswer(const RequestStatus& status) {
  const std::string ended = StatusMessage(status);
  wire::Writer out(ended.size() + wire::kTagMax + wire::kTagMax);
  std::memcpy(out.Bytes(1, ended.size()), ended.data(), ended.size());
  return out.Take();
}

}  // namespace inferd::trtis
