#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/client_unary_call.h>
#include <grpcpp/impl/rpc_method.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <string>
#include <vector>

namespace inferd::clients {

// The stub that a generator would make for grpc_echo (tests/support/grpc_echo_service.h), whose messages are any bytes.
class EchoStub final {
 public:
  using Reader = grpc::ClientReader<grpc::ByteBuffer>;
  using Writer = grpc::ClientWriter<grpc::ByteBuffer>;
  using ReaderWriter = grpc::ClientReaderWriter<grpc::ByteBuffer, grpc::ByteBuffer>;
  using Future = grpc::ClientAsyncResponseReader<grpc::ByteBuffer>;

  explicit EchoStub(std::shared_ptr<grpc::ChannelInterface> channel)
      : channel_(std::move(channel)),
        unary_("/inferd.test.Echo/Unary", grpc::internal::RpcMethod::NORMAL_RPC, channel_),
        server_stream_("/inferd.test.Echo/ServerStream", grpc::internal::RpcMethod::SERVER_STREAMING, channel_),
        client_stream_("/inferd.test.Echo/ClientStream", grpc::internal::RpcMethod::CLIENT_STREAMING, channel_),
        bidi_("/inferd.test.Echo/Bidi", grpc::internal::RpcMethod::BIDI_STREAMING, channel_),
        nothing_("/inferd.test.Echo/Nothing", grpc::internal::RpcMethod::NORMAL_RPC, channel_) {}

  grpc::Status Unary(grpc::ClientContext* context, const std::string& message, std::string* answer) {
    return Call(unary_, context, message, answer);
  }
  // A method that the service does not have.
  grpc::Status Nothing(grpc::ClientContext* context, const std::string& message, std::string* answer) {
    return Call(nothing_, context, message, answer);
  }
  std::unique_ptr<Future> AsyncUnary(grpc::ClientContext* context, const std::string& message,
                                     grpc::CompletionQueue* queue) {
    return std::unique_ptr<Future>(grpc::internal::ClientAsyncResponseReaderHelper::Create<grpc::ByteBuffer>(
        channel_.get(), queue, unary_, context, ToBuffer(message)));
  }
  std::unique_ptr<Reader> ServerStream(grpc::ClientContext* context, const std::string& message) {
    return std::unique_ptr<Reader>(grpc::internal::ClientReaderFactory<grpc::ByteBuffer>::Create(
        channel_.get(), server_stream_, context, ToBuffer(message)));
  }
  std::unique_ptr<Writer> ClientStream(grpc::ClientContext* context, grpc::ByteBuffer* answer) {
    return std::unique_ptr<Writer>(
        grpc::internal::ClientWriterFactory<grpc::ByteBuffer>::Create(channel_.get(), client_stream_, context, answer));
  }
  std::unique_ptr<ReaderWriter> Bidi(grpc::ClientContext* context) {
    return std::unique_ptr<ReaderWriter>(
        grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, grpc::ByteBuffer>::Create(channel_.get(), bidi_,
                                                                                              context));
  }

  static grpc::ByteBuffer ToBuffer(const std::string& text) {
    const grpc::Slice slice(text);
    return {&slice, 1};
  }
  static std::string ToText(const grpc::ByteBuffer& buffer) {
    std::vector<grpc::Slice> slices;
    std::string text;
    if (!buffer.Dump(&slices).ok()) return text;
    for (const grpc::Slice& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return text;
  }

 private:
  grpc::Status Call(const grpc::internal::RpcMethod& method, grpc::ClientContext* context, const std::string& message,
                    std::string* answer) {
    grpc::ByteBuffer buffer;
    const grpc::Status status = grpc::internal::BlockingUnaryCall<grpc::ByteBuffer, grpc::ByteBuffer>(
        channel_.get(), method, context, ToBuffer(message), &buffer);
    if (status.ok()) *answer = ToText(buffer);
    return status;
  }

  std::shared_ptr<grpc::ChannelInterface> channel_;
  const grpc::internal::RpcMethod unary_;
  const grpc::internal::RpcMethod server_stream_;
  const grpc::internal::RpcMethod client_stream_;
  const grpc::internal::RpcMethod bidi_;
  const grpc::internal::RpcMethod nothing_;
};

}  // namespace inferd::clients
