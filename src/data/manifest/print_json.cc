#include "data/json/writer.h"
#include "data/manifest/print.h"

namespace inferd::manifest {

namespace {

void Write(json::Writer& writer, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull: writer.Null(); break;
    case Kind::kBool: writer.Bool(value.boolean()); break;
    case Kind::kNumber: writer.Raw(value.text()); break;
    case Kind::kString: writer.String(value.text()); break;
    case Kind::kList:
      writer.BeginArray();
      for (const Value& item : value.items()) Write(writer, item);
      writer.EndArray();
      break;
    case Kind::kMap:
      writer.BeginObject();
      for (const Member& member : value.members()) {
        writer.Key(member.key);
        Write(writer, member.value);
      }
      writer.EndObject();
      break;
  }
}

}  // namespace

std::string ToJson(const Value& value) {
  json::Writer writer;
  Write(writer, value);
  return writer.TakeString();
}

}  // namespace inferd::manifest
