#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "connection.h"
#include "echo_service.h"

namespace inferd::clients {
namespace {

using ChannelPointer = std::shared_ptr<grpc::Channel>;
using std::chrono::milliseconds;

constexpr size_t kSizes[] = {0, 1, 1000, 16384, 16385, 1'000'000};
constexpr size_t kLarge = 100'000'000;

// A message that ServerStream answers `count` times, 255 at most.
std::string Copies(int count, size_t padding) {
  std::string message = {static_cast<char>(count), 0, 0, 0};
  return message.append(padding, 's');
}

std::string Pattern(size_t size) {
  std::string text(size, 0);
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 >> 3);
  return text;
}

// Text that compresses to no less than a fifth.
std::string Numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i * 7919 % 65'521) + " ";
  return text;
}

void ExpectUnary(EchoStub& stub, const std::string& message) {
  grpc::ClientContext context;
  std::string answer;
  ExpectOk(stub.Unary(&context, message, &answer));
  Expect(answer == message, "the message came back changed");
}

void Unary(const ChannelPointer& channel) {
  EchoStub stub(channel);
  for (const size_t size : kSizes) ExpectUnary(stub, Pattern(size));
}

void ServerStream(const ChannelPointer& channel) {
  EchoStub stub(channel);
  for (const int count : {0, 1, 200}) {
    grpc::ClientContext context;
    const std::string message = Copies(count, 20'000);
    const auto reader = stub.ServerStream(&context, message);
    int read = 0;
    for (grpc::ByteBuffer answer; reader->Read(&answer); ++read) {
      Expect(EchoStub::ToText(answer) == message, "another message");
    }
    ExpectOk(reader->Finish());
    Expect(read == count, "not as many messages as asked for");
  }
}

void ClientStream(const ChannelPointer& channel) {
  EchoStub stub(channel);
  for (const int count : {0, 1, 1000}) {
    grpc::ClientContext context;
    grpc::ByteBuffer answer;
    const auto writer = stub.ClientStream(&context, &answer);
    std::string sent;
    for (int i = 0; i < count; ++i) {
      const std::string message = std::to_string(i);
      Expect(writer->Write(EchoStub::ToBuffer(message)), "the stream broke");
      sent += message;
    }
    writer->WritesDone();
    ExpectOk(writer->Finish());
    Expect(EchoStub::ToText(answer) == sent, "not what was sent");
  }
}

void Bidi(const ChannelPointer& channel) {
  EchoStub stub(channel);
  grpc::ClientContext context;
  const auto stream = stub.Bidi(&context);
  for (const size_t size : kSizes) {
    const std::string message = Pattern(size);
    grpc::ByteBuffer answer;
    Expect(stream->Write(EchoStub::ToBuffer(message)) && stream->Read(&answer), "the stream broke");
    Expect(EchoStub::ToText(answer) == message, "another message");
  }
  stream->WritesDone();
  grpc::ByteBuffer more;
  Expect(!stream->Read(&more), "more than was sent");
  ExpectOk(stream->Finish());
}

void BidiManyAtOnce(const ChannelPointer& channel) {
  constexpr int kMessages = 5000;
  EchoStub stub(channel);
  grpc::ClientContext context;
  const auto stream = stub.Bidi(&context);
  std::thread writer([&] {
    for (int i = 0; i < kMessages && stream->Write(EchoStub::ToBuffer(std::to_string(i))); ++i) continue;
    stream->WritesDone();
  });
  int read = 0;
  bool in_order = true;
  for (grpc::ByteBuffer answer; stream->Read(&answer); ++read)
    in_order &= EchoStub::ToText(answer) == std::to_string(read);
  writer.join();
  ExpectOk(stream->Finish());
  Expect(read == kMessages && in_order, "lost or mixed up");
}

void Large(const ChannelPointer& channel) {
  EchoStub stub(channel);
  ExpectUnary(stub, Pattern(kLarge));
}

void ManyAtOnce(const ChannelPointer& channel) {
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer answer;
    grpc::Status status;
    std::unique_ptr<EchoStub::Future> future;
  };
  constexpr int kCalls = 1000;
  EchoStub stub(channel);
  grpc::CompletionQueue queue;
  std::vector<Call> calls(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    calls[i].future = stub.AsyncUnary(&calls[i].context, std::to_string(i), &queue);
    calls[i].future->StartCall();
    calls[i].future->Finish(&calls[i].answer, &calls[i].status, &calls[i]);
  }
  void* tag = nullptr;
  bool ok = false;
  for (int i = 0; i < kCalls; ++i) Expect(queue.Next(&tag, &ok) && ok, "a call broke");
  for (int i = 0; i < kCalls; ++i) {
    ExpectOk(calls[i].status);
    Expect(EchoStub::ToText(calls[i].answer) == std::to_string(i), "another call's answer");
  }
}

void Metadata(const ChannelPointer& channel) {
  EchoStub stub(channel);
  const std::string binary("\0\x01\xff\xfe", 4);
  grpc::ClientContext context;
  context.AddMetadata("echo-text", "plain text");
  context.AddMetadata("echo-bytes-bin", binary);
  std::string answer;
  ExpectOk(stub.Unary(&context, "m", &answer));
  for (const auto* received : {&context.GetServerInitialMetadata(), &context.GetServerTrailingMetadata()}) {
    const auto text = received->find("echo-text");
    const auto bytes = received->find("echo-bytes-bin");
    Expect(text != received->end() && text->second == "plain text", "text metadata is missing");
    Expect(bytes != received->end() && bytes->second == binary, "binary metadata is missing");
  }
}

void StatusDetails(const ChannelPointer& channel) {
  EchoStub stub(channel);
  for (int code = 1; code <= 16; ++code) {
    grpc::ClientContext context;
    context.AddMetadata("fail-with", std::to_string(code));
    std::string answer;
    const grpc::Status status = stub.Unary(&context, "x", &answer);
    ExpectCode(status, static_cast<grpc::StatusCode>(code));
    Expect(status.error_message() == "\xc3\xa9%\n", "another message: " + status.error_message());
    const std::string details = std::string("\x08") + static_cast<char>(code) + "\x12\x04\xc3\xa9%\n" +
                                std::string("\x1a\x05\x12\x03\0\1\xff", 7);
    Expect(status.error_details() == details, "other details");
  }
  ExpectUnary(stub, "on");
}

void UnknownMethod(const ChannelPointer& channel) {
  EchoStub stub(channel);
  grpc::ClientContext context;
  std::string answer;
  ExpectCode(stub.Nothing(&context, "x", &answer), grpc::StatusCode::UNIMPLEMENTED);
  ExpectUnary(stub, "on");
}

void Deadline(const ChannelPointer& channel) {
  EchoStub stub(channel);
  grpc::ClientContext unary;
  unary.AddMetadata("delay-ms", "20000");
  unary.set_deadline(std::chrono::system_clock::now() + milliseconds(100));
  std::string answer;
  ExpectCode(stub.Unary(&unary, "x", &answer), grpc::StatusCode::DEADLINE_EXCEEDED);
  grpc::ClientContext streamed;
  streamed.AddMetadata("delay-ms", "20000");
  streamed.set_deadline(std::chrono::system_clock::now() + milliseconds(100));
  const auto reader = stub.ServerStream(&streamed, Copies(3, 0));
  for (grpc::ByteBuffer message; reader->Read(&message);) continue;
  ExpectCode(reader->Finish(), grpc::StatusCode::DEADLINE_EXCEEDED);
  ExpectUnary(stub, "on");
}

void Cancel(const ChannelPointer& channel) {
  EchoStub stub(channel);
  grpc::ClientContext streamed;
  const auto stream = stub.Bidi(&streamed);
  grpc::ByteBuffer answer;
  Expect(stream->Write(EchoStub::ToBuffer("x")) && stream->Read(&answer), "the stream broke");
  streamed.TryCancel();
  Expect(!stream->Read(&answer), "a message after the cancel");
  ExpectCode(stream->Finish(), grpc::StatusCode::CANCELLED);
  grpc::ClientContext unary;
  unary.AddMetadata("delay-ms", "20000");
  std::thread canceller([&] { unary.TryCancel(); });
  std::string ignored;
  const grpc::Status status = stub.Unary(&unary, "x", &ignored);
  canceller.join();
  ExpectCode(status, grpc::StatusCode::CANCELLED);
  ExpectUnary(stub, "on");
}

void Compression(const ChannelPointer& channel) {
  EchoStub stub(channel);
  const std::string message = Numbers(20'000);
  for (const auto algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext unary;
    unary.set_compression_algorithm(algorithm);
    std::string answer;
    ExpectOk(stub.Unary(&unary, message, &answer));
    Expect(answer == message, "the message came back changed");
    grpc::ClientContext streamed;
    streamed.set_compression_algorithm(algorithm);
    const auto stream = stub.Bidi(&streamed);
    grpc::ByteBuffer read;
    for (const std::string& text : {message, std::string(), message}) {
      Expect(stream->Write(EchoStub::ToBuffer(text)) && stream->Read(&read), "the stream broke");
      Expect(EchoStub::ToText(read) == text, "another message");
    }
    stream->WritesDone();
    ExpectOk(stream->Finish());
  }
}

void IsUnavailable(const ChannelPointer& channel) {
  EchoStub stub(channel);
  grpc::ClientContext context;
  std::string answer;
  ExpectCode(stub.Unary(&context, "x", &answer), grpc::StatusCode::UNAVAILABLE);
}

}  // namespace

Cases EchoCases() {
  return {{"unary", Unary},
          {"server_stream", ServerStream},
          {"client_stream", ClientStream},
          {"bidi", Bidi},
          {"bidi_many", BidiManyAtOnce},
          {"large", Large},
          {"many", ManyAtOnce},
          {"metadata", Metadata},
          {"status_details", StatusDetails},
          {"unknown_method", UnknownMethod},
          {"deadline", Deadline},
          {"cancel", Cancel},
          {"compression", Compression},
          {"is_unavailable", IsUnavailable}};
}

}  // namespace inferd::clients
