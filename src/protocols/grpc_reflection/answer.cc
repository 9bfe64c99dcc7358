#include "protocols/grpc_reflection/answer.h"

#include "base/status.h"

namespace inferd::grpc_reflection {

namespace {

using google::protobuf::FileDescriptor;
using ::grpc::reflection::v1::ServerReflectionRequest;
using ::grpc::reflection::v1::ServerReflectionResponse;

void SetError(const base::Status& status, ServerReflectionResponse& response) {
  response.mutable_error_response()->set_error_code(static_cast<int>(status.code()));
  response.mutable_error_response()->set_error_message(status.message());
}

// If `file` is nullptr, there is no `what`.
void SetFile(const FileDescriptor* file, const std::string& what, ServerReflectionResponse& response) {
  if (file == nullptr) return SetError(base::NotFound("not found: " + what), response);
  for (std::string& serialized : WithImports(file)) {
    response.mutable_file_descriptor_response()->add_file_descriptor_proto(std::move(serialized));
  }
}

void SetFileOfExtension(const Schema& schema, const std::string& type, int number, ServerReflectionResponse& response) {
  const std::string what = "extension " + std::to_string(number) + " of message '" + type + "'";
  const auto* message = schema.MessageType(type);
  if (message == nullptr) return SetFile(nullptr, what, response);
  for (const auto* extension : schema.Extensions(message)) {
    if (extension->number() == number) return SetFile(extension->file(), what, response);
  }
  SetFile(nullptr, what, response);
}

void SetExtensionNumbers(const Schema& schema, const std::string& type, ServerReflectionResponse& response) {
  const auto* message = schema.MessageType(type);
  if (message == nullptr) return SetError(base::NotFound("not found: message '" + type + "'"), response);
  auto& numbers = *response.mutable_all_extension_numbers_response();
  numbers.set_base_type_name(type);
  for (const auto* extension : schema.Extensions(message)) numbers.add_extension_number(extension->number());
}

}  // namespace

ServerReflectionResponse Answer(const Schema& schema, const ServerReflectionRequest& request) {
  ServerReflectionResponse response;
  response.set_valid_host(request.host());
  *response.mutable_original_request() = request;
  switch (request.message_request_case()) {
    case ServerReflectionRequest::kFileByFilename:
      SetFile(schema.File(request.file_by_filename()), "file '" + request.file_by_filename() + "'", response);
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      SetFile(schema.FileOfSymbol(request.file_containing_symbol()),
              "symbol '" + request.file_containing_symbol() + "'", response);
      break;
    case ServerReflectionRequest::kFileContainingExtension:
      SetFileOfExtension(schema, request.file_containing_extension().containing_type(),
                         request.file_containing_extension().extension_number(), response);
      break;
    case ServerReflectionRequest::kAllExtensionNumbersOfType:
      SetExtensionNumbers(schema, request.all_extension_numbers_of_type(), response);
      break;
    case ServerReflectionRequest::kListServices:
      for (const std::string& service : schema.services()) {
        response.mutable_list_services_response()->add_service()->set_name(service);
      }
      break;
    default: SetError(base::InvalidArgument("the request asks for nothing that is known here"), response);
  }
  return response;
}

}  // namespace inferd::grpc_reflection
