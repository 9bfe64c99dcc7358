#include "engines/rewrite/netdef/graph/net_def.h"

#include <bit>
#include <cstring>
#include <string>

#include "data/wire/packed.h"
#include "data/wire/reader.h"

namespace inferd::netdef {

namespace {

using wire::Tag;
using wire::Type;

// Reads the fields of a message, and stops at the first error.
class NetReader final {
 public:
  base::Result<Net> Read(std::string_view bytes) {
    Net net;
    wire::Reader in(bytes);
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case Tag(1, Type::kBytes): net.name = in.Bytes(); break;
        case Tag(2, Type::kBytes):
          if (!HasRoom(net.operators.size(), kOperatorsMax, "operators", &in)) break;
          ReadOperator(in.Message(), &net.operators.emplace_back());
          break;
        case Tag(7, Type::kBytes): AddBlob("external inputs", &net.external_inputs, &in); break;
        case Tag(8, Type::kBytes): AddBlob("external outputs", &net.external_outputs, &in); break;
        default: in.Skip();
      }
      if (!status_.ok()) return std::unexpected(status_);
    }
    if (!in.ok()) return std::unexpected(in.status());
    return net;
  }

 private:
  bool HasRoom(size_t count, size_t max, const char* what, wire::Reader* in) {
    if (count < max) return true;
    in->Skip();
    Note(base::InvalidArgument("more than " + std::to_string(max) + " " + what));
    return false;
  }

  void AddBlob(const char* what, std::vector<std::string_view>* blobs, wire::Reader* in) {
    if (HasRoom(blobs->size(), kBlobsMax, what, in)) blobs->push_back(in->Bytes());
  }

  void ReadOperator(wire::Reader in, Operator* op) {
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case Tag(1, Type::kBytes): AddBlob("inputs of an operator", &op->inputs, &in); break;
        case Tag(2, Type::kBytes): AddBlob("outputs of an operator", &op->outputs, &in); break;
        case Tag(3, Type::kBytes): op->name = in.Bytes(); break;
        case Tag(4, Type::kBytes): op->type = in.Bytes(); break;
        case Tag(5, Type::kBytes):
          if (!HasRoom(op->arguments.size(), kArgumentsMax, "arguments of an operator", &in)) break;
          ReadArgument(in.Message(), &op->arguments.emplace_back());
          break;
        default: in.Skip();
      }
      if (!status_.ok()) return;
    }
    if (!in.ok()) Note(in.status());
  }

  void ReadArgument(wire::Reader in, Argument* argument) {
    const auto add_int = [argument](uint64_t value) { argument->ints.push_back(static_cast<int64_t>(value)); };
    while (const uint32_t tag = in.Next()) {
      switch (tag) {
        case Tag(1, Type::kBytes): argument->name = in.Bytes(); break;
        case Tag(2, Type::kFixed32): argument->f = std::bit_cast<float>(in.Fixed32()); break;
        case Tag(3, Type::kVarint): argument->i = static_cast<int64_t>(in.Varint()); break;
        case Tag(4, Type::kBytes): argument->s = in.Bytes(); break;
        case Tag(5, Type::kFixed32): argument->floats.push_back(std::bit_cast<float>(in.Fixed32())); break;
        case Tag(5, Type::kBytes): AddPacked(in.Bytes(), &argument->floats, &in); break;
        case Tag(6, Type::kVarint): add_int(in.Varint()); break;
        case Tag(6, Type::kBytes):
          if (!wire::ForEachVarint(in.Bytes(), add_int)) in.Fail("packed integers are malformed");
          break;
        case Tag(7, Type::kBytes): argument->strings.push_back(in.Bytes()); break;
        default: argument->other = true; in.Skip();
      }
    }
    if (!in.ok()) Note(in.status());
  }

  static void AddPacked(std::string_view bytes, std::vector<float>* floats, wire::Reader* in) {
    if (bytes.size() % sizeof(float) != 0) return in->Fail("packed floats are cut off");
    const size_t before = floats->size();
    floats->resize(before + bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(floats->data() + before, bytes.data(), bytes.size());
  }

  void Note(base::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  base::Status status_;
};

}  // namespace

base::Result<Net> ReadNet(std::string_view bytes) { return NetReader().Read(bytes); }

}  // namespace inferd::netdef
