#include "protocols/tfs_grpc/codec/feature_reader.h"

#include <bit>
#include <cstring>
#include <string_view>

#include "data/wire/packed.h"

namespace inferd::tfs_grpc {

namespace {

using tfs::Feature;
using wire::Reader;
using wire::Tag;
using wire::Type;
using Kind = tfs::Feature::Kind;

// The only field of a BytesList, FloatList or Int64List.
constexpr uint32_t kValues = Tag(1, Type::kBytes);  // packed, or one string

void AddFloats(std::string_view packed, Reader& in, Feature& feature) {
  if (packed.size() % sizeof(float) != 0) in.Fail("a packed field ends inside a number");
  for (size_t at = 0; in.ok() && at < packed.size(); at += sizeof(float)) {
    float value;
    std::memcpy(&value, packed.data() + at, sizeof value);
    feature.reals.push_back(value);
  }
}

void AddIntegers(std::string_view packed, Reader& in, Feature& feature) {
  const auto add = [&feature](uint64_t value) { feature.integers.push_back(static_cast<int64_t>(value)); };
  if (!wire::ForEachVarint(packed, add)) in.Fail("a packed field ends inside a number");
}

base::Status ReadList(Reader in, Feature& feature) {
  while (const uint32_t tag = in.Next()) {
    if (tag == kValues) {
      const std::string_view bytes = in.Bytes();
      switch (feature.kind) {
        case Kind::kBytes: feature.texts.emplace_back(bytes); break;
        case Kind::kFloat: AddFloats(bytes, in, feature); break;
        default: AddIntegers(bytes, in, feature);
      }
    } else if (feature.kind == Kind::kFloat && tag == Tag(1, Type::kFixed32)) {
      feature.reals.push_back(std::bit_cast<float>(in.Fixed32()));
    } else if (feature.kind == Kind::kInt64 && tag == Tag(1, Type::kVarint)) {
      feature.integers.push_back(static_cast<int64_t>(in.Varint()));
    } else {
      in.Skip();
    }
  }
  return in.status();
}

// Returns the kind of a field of Feature, or kNone for another field.
Kind KindOf(uint32_t tag) {
  switch (tag) {
    case Tag(1, Type::kBytes): return Kind::kBytes;
    case Tag(2, Type::kBytes): return Kind::kFloat;
    case Tag(3, Type::kBytes): return Kind::kInt64;
    default: return Kind::kNone;
  }
}

}  // namespace

base::Status ReadFeature(std::span<const Reader> parts, Feature& feature) {
  feature.clear();
  for (Reader in : parts) {
    while (const uint32_t tag = in.Next()) {
      const Kind kind = KindOf(tag);
      if (kind == Kind::kNone) {
        in.Skip();
        continue;
      }
      if (kind != feature.kind) feature.clear();
      feature.kind = kind;
      INFERD_RETURN_IF_ERROR(ReadList(in.Message(), feature));
    }
    if (!in.ok()) return in.status();
  }
  if (feature.size() == 0) feature.kind = Kind::kNone;
  return {};
}

}  // namespace inferd::tfs_grpc
