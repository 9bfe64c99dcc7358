package client;

import static client.Check.equal;
import static client.Check.fails;
import static client.Check.has;
import static client.Messages.expectSimple;
import static client.Messages.int32;
import static client.Messages.simple;
import static client.Messages.to;

import inference.GRPCInferenceServiceGrpc;
import inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceStub;
import inference.GrpcService.ModelInferRequest;
import inference.GrpcService.ModelInferResponse;
import inference.GrpcService.ModelStreamInferResponse;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** ModelStreamInfer: order, errors, models with many responses, back-pressure. */
final class StreamCases {
  private static final class Stream {
    final Connection.Reader<ModelInferRequest, ModelStreamInferResponse> reader;

    Stream(GRPCInferenceServiceStub stub) { this(stub, false); }

    Stream(GRPCInferenceServiceStub stub, boolean oneByOne) {
      reader = new Connection.Reader<>(oneByOne);
      stub.modelStreamInfer(reader);
    }

    void send(ModelInferRequest.Builder request) { reader.requests.onNext(request.build()); }
    void end() { reader.requests.onCompleted(); }
  }

  private interface Test {
    void run(GRPCInferenceServiceStub stub) throws Exception;
  }

  private static Main.Case of(Test test) {
    return Connection.with((channel, target) -> test.run(GRPCInferenceServiceGrpc.newStub(channel)));
  }

  private static ModelInferRequest.Builder repeat(List<Integer> elements) { return to("repeat", int32("IN", elements, elements.size())); }

  private static int firstOf(ModelInferResponse response) { return Tensors.intsOf(response.getRawOutputContents(0)).get(0); }

  static void addTo(Map<String, Main.Case> cases) {
    cases.put("stream_order", of(stub -> {
      Stream stream = new Stream(stub);
      for (int i = 0; i < 2000; ++i) stream.send(simple(String.valueOf(i)));
      stream.end();
      List<ModelStreamInferResponse> answers = stream.reader.all();
      equal(answers.size(), 2000);
      for (int i = 0; i < 2000; ++i) {
        equal(answers.get(i).getErrorMessage(), "");
        expectSimple(answers.get(i).getInferResponse(), String.valueOf(i));
      }
    }));
    cases.put("stream_one_by_one", of(stub -> {
      Stream stream = new Stream(stub);
      for (int i = 0; i < 100; ++i) {
        stream.send(simple(String.valueOf(i)));
        expectSimple(stream.reader.next().getInferResponse(), String.valueOf(i));
      }
      stream.end();
      equal(stream.reader.next(), null);
    }));
    cases.put("stream_errors", of(stub -> {
      Stream stream = new Stream(stub);
      stream.send(simple("wrong").setModelName("nobody"));
      stream.send(simple("right"));
      stream.end();
      ModelStreamInferResponse wrong = stream.reader.next();
      has(wrong.getErrorMessage(), "'nobody'");
      equal(wrong.getInferResponse().getId(), "wrong");
      expectSimple(stream.reader.next().getInferResponse(), "right");
      equal(stream.reader.next(), null);
    }));
    cases.put("stream_errors_as_status", of(stub -> {
      Metadata metadata = new Metadata();
      metadata.put(Metadata.Key.of("triton_grpc_error", Metadata.ASCII_STRING_MARSHALLER), "true");
      Stream stream = new Stream(stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(metadata)));
      stream.send(simple("wrong").setModelName("nobody"));
      fails(Code.NOT_FOUND, stream.reader::next, "'nobody'");
    }));
    cases.put("stream_decoupled", of(stub -> {
      Stream stream = new Stream(stub);
      stream.send(repeat(List.of(7, 8, 9)).setId("r").putParameters("triton_enable_empty_final_response", Messages.parameter(true)));
      stream.send(repeat(List.of()));  // no response
      stream.end();
      List<ModelInferResponse> responses = stream.reader.all().stream().map(answer -> answer.getInferResponse()).toList();
      equal(responses.stream().map(response -> response.getId()).toList(), List.of("r", "r", "r", "r"));
      equal(responses.stream().map(response -> response.getParametersOrThrow("triton_final_response").getBoolParam()).toList(),
            List.of(false, false, false, true));
      equal(responses.subList(0, 3).stream().map(StreamCases::firstOf).toList(), List.of(7, 8, 9));
      equal(responses.get(3).getOutputsCount(), 0);
    }));
    cases.put("stream_back_pressure", of(stub -> {
      Stream stream = new Stream(stub, true);
      stream.send(repeat(IntStream.range(0, 20000).boxed().toList()));
      stream.end();
      List<ModelStreamInferResponse> answers = stream.reader.all();
      equal(answers.size(), 20000);
      for (int i = 0; i < 20000; ++i) equal(firstOf(answers.get(i).getInferResponse()), i);
    }));
    cases.put("stream_cancel", of(stub -> {
      Stream stream = new Stream(stub);
      stream.send(Messages.endless());
      stream.reader.requests.cancel("enough", null);
      fails(Code.CANCELLED, stream.reader::next);
      Stream next = new Stream(stub);
      next.send(simple("next"));
      expectSimple(next.reader.next().getInferResponse(), "next");
      next.end();
    }));
    cases.put("stream_deadline", of(stub -> {
      Stream stream = new Stream(stub.withDeadlineAfter(100, TimeUnit.MILLISECONDS));
      stream.send(Messages.endless());
      fails(Code.DEADLINE_EXCEEDED, stream.reader::next);
    }));
  }
}
