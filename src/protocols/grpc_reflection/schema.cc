#include "protocols/grpc_reflection/schema.h"

#include <google/protobuf/descriptor.pb.h>

#include <utility>

namespace inferd::grpc_reflection {

namespace {

using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

void AppendWithImports(const FileDescriptor* file, std::set<const FileDescriptor*>& seen,
                       std::vector<std::string>& serialized) {
  if (!seen.insert(file).second) return;
  google::protobuf::FileDescriptorProto proto;
  file->CopyTo(&proto);
  serialized.push_back(proto.SerializeAsString());
  for (int i = 0; i < file->dependency_count(); ++i) AppendWithImports(file->dependency(i), seen, serialized);
}

}  // namespace

Schema::Schema(std::vector<std::string> services) : services_(std::move(services)) {
  for (const std::string& name : services_) {
    const auto* service = DescriptorPool::generated_pool()->FindServiceByName(name);
    if (service != nullptr) Add(service->file());
  }
}

void Schema::Add(const FileDescriptor* file) {
  if (!files_.insert(file).second) return;
  for (int i = 0; i < file->dependency_count(); ++i) Add(file->dependency(i));
}

const FileDescriptor* Schema::IfShown(const FileDescriptor* file) const {
  return files_.contains(file) ? file : nullptr;
}

const FileDescriptor* Schema::File(const std::string& name) const {
  return IfShown(DescriptorPool::generated_pool()->FindFileByName(name));
}

const FileDescriptor* Schema::FileOfSymbol(const std::string& symbol) const {
  return IfShown(DescriptorPool::generated_pool()->FindFileContainingSymbol(symbol));
}

const google::protobuf::Descriptor* Schema::MessageType(const std::string& name) const {
  const auto* type = DescriptorPool::generated_pool()->FindMessageTypeByName(name);
  return type != nullptr && files_.contains(type->file()) ? type : nullptr;
}

std::vector<const FieldDescriptor*> Schema::Extensions(const google::protobuf::Descriptor* type) const {
  std::vector<const FieldDescriptor*> extensions;
  DescriptorPool::generated_pool()->FindAllExtensions(type, &extensions);
  std::erase_if(extensions, [this](const FieldDescriptor* field) { return !files_.contains(field->file()); });
  return extensions;
}

std::vector<std::string> WithImports(const FileDescriptor* file) {
  std::set<const FileDescriptor*> seen;
  std::vector<std::string> serialized;
  AppendWithImports(file, seen, serialized);
  return serialized;
}

}  // namespace inferd::grpc_reflection
