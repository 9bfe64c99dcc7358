#pragma once

#include <google/protobuf/descriptor.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace inferd::grpc_reflection {

// A server's services, and the files that describe them. Other messages that are linked into this program are not
// shown. Immutable, so thread-safe.
class Schema final {
 public:
  // Takes full names. A service whose file is not linked into this program is listed, but not described.
  explicit Schema(std::vector<std::string> services);

  const std::vector<std::string>& services() const { return services_; }

  // nullptr if the file is unknown.
  const google::protobuf::FileDescriptor* File(const std::string& name) const;
  // Finds the file of a service, method, message, field, enum or enum value by its full name.
  const google::protobuf::FileDescriptor* FileOfSymbol(const std::string& symbol) const;
  const google::protobuf::Descriptor* MessageType(const std::string& name) const;

  // Returns only the extensions in these files.
  std::vector<const google::protobuf::FieldDescriptor*> Extensions(const google::protobuf::Descriptor* type) const;

 private:
  void Add(const google::protobuf::FileDescriptor* file);
  const google::protobuf::FileDescriptor* IfShown(const google::protobuf::FileDescriptor* file) const;

  const std::vector<std::string> services_;
  std::set<const google::protobuf::FileDescriptor*> files_;
};

// Returns `file` and all files that it imports, directly or indirectly, each serialized.
std::vector<std::string> WithImports(const google::protobuf::FileDescriptor* file);

}  // namespace inferd::grpc_reflection
