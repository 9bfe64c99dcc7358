#include "protocols/grpc_reflection/reflection.h"

#include <memory>
#include <utility>

#include "net/grpc/generated_message.h"
#include "protocols/grpc_reflection/answer.h"
#include "reflection/reflection_v1alpha.pb.h"

namespace inferd::grpc_reflection {

namespace {

using ::grpc::reflection::v1::ServerReflectionRequest;
using net::grpc::CallContext;
using net::grpc::MessageReader;
using net::grpc::Responder;

constexpr uint64_t kMessageBytesMax = 64 * 1024;  // it contains only a name

// Answers each question as it comes. While the client does not read, no further question is read.
class Reader final : public MessageReader {
 public:
  Reader(std::shared_ptr<const Schema> schema, Responder responder)
      : schema_(std::move(schema)), responder_(std::make_shared<Responder>(std::move(responder))) {}

  void OnMessage(base::BufferSlice message) override {
    const auto request = net::grpc::Decode<ServerReflectionRequest>(message);
    if (!request.has_value()) return Finish(request.error());
    if (responder_->Write(net::grpc::Encode(Answer(*schema_, *request)))) return;
    responder_->PauseReading();
    responder_->OnWritable([responder = std::weak_ptr(responder_)] {
      if (const auto waiting = responder.lock()) waiting->ResumeReading();
    });
  }

  void OnHalfClose() override { Finish(base::OkStatus()); }

 private:
  // The call's end may destroy this object.
  void Finish(const base::Status& status) {
    const std::shared_ptr<Responder> responder = responder_;
    responder->Finish(status);
  }

  const std::shared_ptr<const Schema> schema_;
  const std::shared_ptr<Responder> responder_;
};

// Returns "grpc.reflection.v1.ServerReflection". Naming the file's own descriptor links it into the program.
template <typename Request>
std::string ServiceName() {
  return Request::descriptor()->file()->service(0)->full_name();
}

}  // namespace

std::vector<net::grpc::Method> Methods(std::vector<std::string> services) {
  const std::vector<std::string> own = {ServiceName<ServerReflectionRequest>(),
                                        ServiceName<::grpc::reflection::v1alpha::ServerReflectionRequest>()};
  services.insert(services.end(), own.begin(), own.end());
  const auto schema = std::make_shared<const Schema>(std::move(services));
  std::vector<net::grpc::Method> methods;
  for (const std::string& service : own) {
    net::grpc::Method& method = methods.emplace_back();
    method.path = "/" + service + "/ServerReflectionInfo";
    method.message_bytes_max = kMessageBytesMax;
    method.streaming = [schema](CallContext, Responder responder) -> std::unique_ptr<MessageReader> {
      return std::make_unique<Reader>(schema, std::move(responder));
    };
  }
  return methods;
}

}  // namespace inferd::grpc_reflection
