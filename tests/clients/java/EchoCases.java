package client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Calls of grpc_echo (tests/support/grpc_echo_service.h), whose messages are any bytes. */
final class EchoCases {
  private static final int[] SIZES = {0, 1, 1000, 16384, 16385, 1_000_000};
  private static final Metadata.Key<String> TEXT = Metadata.Key.of("echo-text", Metadata.ASCII_STRING_MARSHALLER);
  private static final Metadata.Key<byte[]> BINARY = Metadata.Key.of("echo-bytes-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
    @Override public InputStream stream(byte[] message) { return new ByteArrayInputStream(message); }
    @Override public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException error) {
        throw new UncheckedIOException(error);
      }
    }
  };

  private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
    return MethodDescriptor.newBuilder(BYTES, BYTES).setType(type).setFullMethodName("inferd.test.Echo/" + name).build();
  }

  private static byte[] unary(Channel channel, byte[] message, CallOptions options) {
    return ClientCalls.blockingUnaryCall(channel, method("Unary", MethodDescriptor.MethodType.UNARY), options, message);
  }

  private static ClientCall<byte[], byte[]> bidi(Channel channel, CallOptions options) {
    return channel.newCall(method("Bidi", MethodDescriptor.MethodType.BIDI_STREAMING), options);
  }

  private static Connection.Reader<byte[], byte[]> open(ClientCall<byte[], byte[]> call) {
    Connection.Reader<byte[], byte[]> reader = new Connection.Reader<>();
    ClientCalls.asyncBidiStreamingCall(call, reader);
    return reader;
  }

  private static void expect(Channel channel, byte[] message) { Check.equal(unary(channel, message, CallOptions.DEFAULT), message); }

  private static void exchange(Connection.Reader<byte[], byte[]> call, byte[] message) throws Exception {
    call.requests.onNext(message);
    Check.equal(call.next(), message);
  }

  private static byte[] pattern(int size) {
    byte[] bytes = new byte[size];
    for (int i = 0; i < size; ++i) bytes[i] = (byte) (i * 31 >> 3);
    return bytes;
  }

  private static byte[] text(Object value) { return String.valueOf(value).getBytes(StandardCharsets.UTF_8); }

  /** Compresses to no less than a fifth. */
  private static byte[] numbers() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20000; ++i) text.append(i * 7919L % 65521).append(' ');
    return text(text);
  }

  private static Channel withMetadata(Channel channel, String name, String value) {
    Metadata metadata = new Metadata();
    metadata.put(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER), value);
    return ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  private static CallOptions soon() { return CallOptions.DEFAULT.withDeadlineAfter(100, TimeUnit.MILLISECONDS); }

  static void addTo(Map<String, Main.Case> cases) {
    cases.put("echo_unary", Connection.with((channel, target) -> { for (int size : SIZES) expect(channel, pattern(size)); }));
    cases.put("echo_server_stream", Connection.with((channel, target) -> serverStream(channel)));
    cases.put("echo_client_stream", Connection.with((channel, target) -> clientStream(channel)));
    cases.put("echo_bidi", Connection.with((channel, target) -> {
      Connection.Reader<byte[], byte[]> call = open(bidi(channel, CallOptions.DEFAULT));
      for (int size : SIZES) exchange(call, pattern(size));
      call.requests.onCompleted();
      Check.equal(call.next(), null);
    }));
    cases.put("echo_bidi_many", Connection.with((channel, target) -> {
      Connection.Reader<byte[], byte[]> call = open(bidi(channel, CallOptions.DEFAULT));
      for (int i = 0; i < 5000; ++i) call.requests.onNext(text(i));
      call.requests.onCompleted();
      List<byte[]> answers = call.all();
      Check.equal(answers.size(), 5000);
      for (int i = 0; i < 5000; ++i) Check.equal(answers.get(i), text(i));
    }));
    cases.put("echo_large", Connection.with((channel, target) -> expect(channel, pattern(100_000_000))));
    cases.put("echo_many", Connection.with((channel, target) -> manyAtOnce(channel)));
    cases.put("echo_metadata", Connection.with((channel, target) -> metadata(channel)));
    cases.put("echo_status_details", Connection.with((channel, target) -> statusDetails(channel)));
    cases.put("echo_unknown_method", Connection.with((channel, target) -> {
      Check.fails(Status.Code.UNIMPLEMENTED, () -> ClientCalls.blockingUnaryCall(channel, method("Nothing", MethodDescriptor.MethodType.UNARY),
                                                                                 CallOptions.DEFAULT, text("x")));
      expect(channel, text("on"));
    }));
    cases.put("echo_deadline", Connection.with((channel, target) -> {
      Check.fails(Status.Code.DEADLINE_EXCEEDED, () -> unary(withMetadata(channel, "delay-ms", "20000"), text("x"), soon()));
      Check.fails(Status.Code.DEADLINE_EXCEEDED, () -> open(bidi(channel, soon())).next());
      expect(channel, text("on"));
    }));
    cases.put("echo_cancel", Connection.with((channel, target) -> cancel(channel)));
    cases.put("echo_compression", Connection.with((channel, target) -> {
      CallOptions compressed = CallOptions.DEFAULT.withCompression("gzip");
      Check.equal(unary(channel, numbers(), compressed), numbers());
      Connection.Reader<byte[], byte[]> call = open(bidi(channel, compressed));
      call.requests.setMessageCompression(true);
      for (byte[] message : List.of(numbers(), new byte[0], numbers())) exchange(call, message);
    }));
    cases.put("echo_is_unavailable", Connection.with((channel, target) ->
        Check.fails(Status.Code.UNAVAILABLE, () -> unary(channel, text("x"), CallOptions.DEFAULT))));
  }

  private static void serverStream(Channel channel) {
    for (int count : new int[] {0, 1, 200}) {
      byte[] message = pattern(20004);
      System.arraycopy(new byte[] {(byte) count, 0, 0, 0}, 0, message, 0, 4);
      Iterator<byte[]> answers = ClientCalls.blockingServerStreamingCall(
          channel, method("ServerStream", MethodDescriptor.MethodType.SERVER_STREAMING), CallOptions.DEFAULT, message);
      int read = 0;
      for (; answers.hasNext(); ++read) Check.equal(answers.next(), message);
      Check.equal(read, count);
    }
  }

  private static void clientStream(Channel channel) throws Exception {
    for (int count : new int[] {0, 1, 1000}) {
      Connection.Reader<byte[], byte[]> call = new Connection.Reader<>();
      ClientCalls.asyncClientStreamingCall(
          channel.newCall(method("ClientStream", MethodDescriptor.MethodType.CLIENT_STREAMING), CallOptions.DEFAULT), call);
      StringBuilder sent = new StringBuilder();
      for (int i = 0; i < count; ++i) {
        call.requests.onNext(text(i));
        sent.append(i);
      }
      call.requests.onCompleted();
      Check.equal(new String(call.next(), StandardCharsets.UTF_8), sent.toString());
      Check.equal(call.next(), null);
    }
  }

  private static void manyAtOnce(Channel channel) throws Exception {
    List<Future<byte[]>> answers = new ArrayList<>();
    MethodDescriptor<byte[], byte[]> unary = method("Unary", MethodDescriptor.MethodType.UNARY);
    for (int i = 0; i < 1000; ++i) answers.add(ClientCalls.futureUnaryCall(channel.newCall(unary, CallOptions.DEFAULT), text(i)));
    for (int i = 0; i < 1000; ++i) Check.equal(answers.get(i).get(), text(i));
  }

  private static void metadata(Channel channel) {
    Metadata sent = new Metadata();
    byte[] binary = {0, 1, -1, -2};
    sent.put(TEXT, "plain text");
    sent.put(BINARY, binary);
    AtomicReference<Metadata> headers = new AtomicReference<>(), trailers = new AtomicReference<>();
    unary(ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(sent),
                                       MetadataUtils.newCaptureMetadataInterceptor(headers, trailers)), text("m"), CallOptions.DEFAULT);
    for (Metadata received : List.of(headers.get(), trailers.get())) {
      Check.equal(received.get(TEXT), "plain text");
      Check.equal(received.get(BINARY), binary);
    }
  }

  private static void statusDetails(Channel channel) throws Exception {
    for (int code = 1; code <= 16; ++code) {
      Channel failing = withMetadata(channel, "fail-with", String.valueOf(code));
      StatusRuntimeException error = Check.fails(Status.fromCodeValue(code).getCode(), () -> unary(failing, text("x"), CallOptions.DEFAULT));
      Check.equal(error.getStatus().getDescription(), "\u00e9%\n");
      com.google.rpc.Status details = StatusProto.fromThrowable(error);
      Check.equal(details.getDetails(0).getValue().toByteArray(), new byte[] {0, 1, -1});
    }
    expect(channel, text("on"));
  }

  private static void cancel(Channel channel) throws Exception {
    Connection.Reader<byte[], byte[]> call = open(bidi(channel, CallOptions.DEFAULT));
    exchange(call, text("x"));
    call.requests.cancel("enough", null);
    Check.fails(Status.Code.CANCELLED, call::next);
    Future<byte[]> single = ClientCalls.futureUnaryCall(
        withMetadata(channel, "delay-ms", "20000").newCall(method("Unary", MethodDescriptor.MethodType.UNARY), CallOptions.DEFAULT), text("x"));
    Check.that(single.cancel(true), "the call could be cancelled");
    expect(channel, text("on"));
  }
}
