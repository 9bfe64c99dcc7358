package client;

import static client.Check.equal;
import static client.Check.fails;
import static client.Messages.expectSimple;
import static client.Messages.int32;
import static client.Messages.parameter;
import static client.Messages.raw;
import static client.Messages.row;
import static client.Messages.simple;
import static client.Messages.tensor;
import static client.Messages.to;
import static client.Messages.typed;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import inference.GRPCInferenceServiceGrpc;
import inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import inference.GrpcService.InferParameter;
import inference.GrpcService.InferTensorContents;
import inference.GrpcService.ModelInferRequest;
import inference.GrpcService.ModelInferRequest.InferRequestedOutputTensor;
import inference.GrpcService.ModelInferResponse;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Status.Code;
import io.grpc.stub.MetadataUtils;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/** ModelInfer: every datatype, raw and typed, and all that a request can say. */
final class InferCases {
  private interface Test {
    void run(GRPCInferenceServiceBlockingStub stub) throws Exception;
  }

  private static Main.Case of(Test test) {
    return Connection.with((channel, target) -> test.run(GRPCInferenceServiceGrpc.newBlockingStub(channel)));
  }

  static void addTo(Map<String, Main.Case> cases) {
    cases.put("grpc_typed_datatypes", of(InferCases::typedDatatypes));
    cases.put("grpc_raw_datatypes", of(stub -> Tensors.SAMPLES.forEach((datatype, sample) -> {
      ModelInferResponse response = stub.modelInfer(raw(datatype, sample.raw(), 2, 3).build());
      equal(response.getOutputs(0).getDatatype(), datatype);
      equal(List.copyOf(response.getOutputs(0).getShapeList()), List.of(2L, 3L));
      equal(response.getRawOutputContents(0).toByteArray(), sample.raw());
    })));
    cases.put("grpc_nonfinite_numbers", of(stub -> {
      List<Float> floats = List.of(Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
      equal(contentsOf(stub, typed("FP32", InferTensorContents.newBuilder().addAllFp32Contents(floats), 1, 3)).getFp32ContentsList(), floats);
      List<Double> doubles = List.of(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
      equal(contentsOf(stub, typed("FP64", InferTensorContents.newBuilder().addAllFp64Contents(doubles), 1, 3)).getFp64ContentsList(), doubles);
    }));
    cases.put("grpc_bytes_elements", of(InferCases::bytesElements));
    cases.put("grpc_several_inputs", of(stub -> {
      for (int i = 0; i < 100; ++i) expectSimple(stub.modelInfer(simple(String.valueOf(i)).build()), String.valueOf(i));
      expectSimple(stub.modelInfer(to("simple", tensor("INPUT1", "INT32", 1, 16), tensor("INPUT0", "INT32", 1, 16))  // in the other order
                                       .addRawInputContents(ByteString.copyFrom(Tensors.raw(Tensors.ONES)))
                                       .addRawInputContents(ByteString.copyFrom(Tensors.raw(Tensors.COUNTING))).build()), "");
    }));
    cases.put("grpc_outputs_chosen", of(stub -> {
      ModelInferResponse response = stub.modelInfer(simple("").addOutputs(output("OUTPUT1")).build());
      equal(response.getOutputsCount(), 1);
      equal(response.getOutputs(0).getName(), "OUTPUT1");
      equal(Tensors.intsOf(response.getRawOutputContents(0)), Tensors.DIFFERENCES);
      fails(Code.INVALID_ARGUMENT, () -> stub.modelInfer(simple("").addOutputs(output("OUTPUT9")).build()), "'OUTPUT9'", "OUTPUT0");
    }));
    cases.put("grpc_id_and_version", of(stub -> {
      ModelInferResponse response = stub.modelInfer(simple("\u00fc 42").setModelVersion("1").build());
      equal(response.getModelVersion(), "1");
      expectSimple(response, "\u00fc 42");
      fails(Code.NOT_FOUND, () -> stub.modelInfer(simple("").setModelVersion("7").build()), "'simple' version 7");
    }));
    cases.put("grpc_parameters", of(stub -> {
      ModelInferRequest.Builder request = simple("").putParameters("bool", parameter(true)).putParameters("int64", parameter(Long.MIN_VALUE))
          .putParameters("string", parameter("text")).putParameters("double", parameter(0.5)).putParameters("timeout", parameter(60_000_000))
          .putParameters("uint64", InferParameter.newBuilder().setUint64Param(-1).build())
          .putParameters("priority", InferParameter.newBuilder().setUint64Param(1).build());
      expectSimple(stub.modelInfer(request.build()), "");
      fails(Code.INVALID_ARGUMENT, () -> stub.modelInfer(simple("").putParameters("triton_x", parameter(true)).build()), "triton_x");
    }));
    cases.put("grpc_classification", of(InferCases::classification));
    cases.put("grpc_infer_errors", of(InferCases::inferErrors));
    cases.put("grpc_deadline", of(stub -> {
      fails(Code.DEADLINE_EXCEEDED, () -> stub.withDeadlineAfter(100, TimeUnit.MILLISECONDS).modelInfer(Messages.endless().build()));
      expectSimple(stub.withDeadlineAfter(60, TimeUnit.SECONDS).modelInfer(simple("").build()), "");
    }));
    cases.put("grpc_cancel", Connection.with((channel, target) -> {
      Connection.Reader<ModelInferRequest, ModelInferResponse> running = new Connection.Reader<>();
      GRPCInferenceServiceGrpc.newStub(channel).modelInfer(Messages.endless().build(), running);
      running.requests.cancel("enough", null);
      fails(Code.CANCELLED, running::next);
      expectSimple(GRPCInferenceServiceGrpc.newBlockingStub(channel).modelInfer(simple("").build()), "");
    }));
    cases.put("grpc_large", of(stub -> {
      byte[] values = new byte[16 << 20];
      for (int i = 0; i < values.length; ++i) values[i] = (byte) (i * 31 >> 3);
      equal(stub.modelInfer(raw("UINT8", values, 4, 4 << 20).build()).getRawOutputContents(0).toByteArray(), values);
    }));
    // grpc-java refuses received messages of more than 4 MiB unless it is told otherwise.
    cases.put("grpc_default_limit", Connection.with(4 << 20, (channel, target) -> {
      GRPCInferenceServiceBlockingStub stub = GRPCInferenceServiceGrpc.newBlockingStub(channel);
      fails(Code.RESOURCE_EXHAUSTED, () -> stub.modelInfer(raw("UINT8", new byte[4 << 20], 1, 4 << 20).build()));
      expectSimple(stub.modelInfer(simple("").build()), "");
    }));
    cases.put("grpc_gzip", of(stub -> {
      expectSimple(stub.withCompression("gzip").modelInfer(simple("").build()), "");
      int[] values = IntStream.range(0, 100_000).map(i -> i * 7919 % 65521).toArray();
      ModelInferResponse response = stub.withCompression("gzip").modelInfer(raw("INT32", Tensors.ints(values), 1, values.length).build());
      equal(response.getRawOutputContents(0).toByteArray(), Tensors.ints(values));
    }));
    cases.put("grpc_many_at_once", Connection.with((channel, target) -> manyAtOnce(channel)));
    cases.put("grpc_metadata", of(stub -> {
      Metadata.Key<String> id = Metadata.Key.of("x-request-id", Metadata.ASCII_STRING_MARSHALLER);
      Metadata sent = new Metadata();
      sent.put(id, "java-1");
      AtomicReference<Metadata> received = new AtomicReference<>();
      stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(sent),
                            MetadataUtils.newCaptureMetadataInterceptor(received, new AtomicReference<>())).modelInfer(simple("").build());
      equal(received.get().get(id), "java-1");
    }));
  }

  private static InferRequestedOutputTensor output(String name) { return InferRequestedOutputTensor.newBuilder().setName(name).build(); }

  /** Returns the answer's typed contents. */
  private static InferTensorContents contentsOf(GRPCInferenceServiceBlockingStub stub, ModelInferRequest.Builder request) {
    ModelInferResponse response = stub.modelInfer(request.putParameters("typed_contents", parameter(true)).build());
    equal(response.getRawOutputContentsCount(), 0);
    return response.getOutputs(0).getContents();
  }

  private static void typedDatatypes(GRPCInferenceServiceBlockingStub stub) {
    Map<String, String> fields = Map.ofEntries(
        Map.entry("BOOL", "bool_contents"), Map.entry("INT8", "int_contents"), Map.entry("INT16", "int_contents"),
        Map.entry("INT32", "int_contents"), Map.entry("INT64", "int64_contents"), Map.entry("UINT8", "uint_contents"),
        Map.entry("UINT16", "uint_contents"), Map.entry("UINT32", "uint_contents"), Map.entry("UINT64", "uint64_contents"),
        Map.entry("FP32", "fp32_contents"), Map.entry("FP64", "fp64_contents"), Map.entry("BYTES", "bytes_contents"));
    fields.forEach((datatype, name) -> {
      FieldDescriptor field = InferTensorContents.getDescriptor().findFieldByName(name);
      List<Object> elements = switch (datatype) {
        case "BOOL" -> List.of(true, false, true, true, false, false);
        case "FP32" -> List.of(0f, -0f, 1.5f, Float.MAX_VALUE, Float.MIN_VALUE, 0.1f);
        case "FP64" -> List.of(0., -0., 1.5, Double.MAX_VALUE, Double.MIN_VALUE, 0.1);
        case "BYTES" -> new ArrayList<>(Tensors.TEXTS.stream().map(ByteString::copyFromUtf8).toList());
        case "UINT32" -> List.of(0, -1, 0, 1, -2, 100);  // Java's int and long hold unsigned numbers by their bits
        case "UINT64" -> List.of(0L, -1L, 0L, 1L, (1L << 53) + 1, 100L);
        case "INT64" -> List.of(Long.MIN_VALUE, Long.MAX_VALUE, 0L, 1L, (1L << 53) + 1, 100L);
        default -> new ArrayList<>(Arrays.stream(Tensors.SAMPLES.get(datatype).json().split(",")).map(Integer::valueOf).toList());
      };
      InferTensorContents.Builder contents = InferTensorContents.newBuilder();
      elements.forEach(element -> contents.addRepeatedField(field, element));
      equal(contentsOf(stub, typed(datatype, contents, 2, 3)), contents.build());
    });
  }

  private static void bytesElements(GRPCInferenceServiceBlockingStub stub) {
    List<byte[]> elements = List.of(new byte[0], new byte[] {0, -1, -2}, "z".repeat(1_000_000).getBytes(StandardCharsets.UTF_8));
    ModelInferResponse response = stub.modelInfer(raw("BYTES", Tensors.packBytes(elements), 1, 3).build());
    List<byte[]> answered = Tensors.unpackBytes(response.getRawOutputContents(0).toByteArray());
    equal(answered.size(), 3);
    for (int i = 0; i < 3; ++i) equal(answered.get(i), elements.get(i));
    ModelInferResponse empty = stub.modelInfer(raw("BYTES", new byte[0], 1, 0).build());
    equal(List.copyOf(empty.getOutputs(0).getShapeList()), List.of(1L, 0L));
    equal(empty.getRawOutputContents(0).size(), 0);
  }

  private static void classification(GRPCInferenceServiceBlockingStub stub) {
    ModelInferRequest.Builder request = to("digits", tensor("image", "FP32", 1, 64)).addRawInputContents(ByteString.copyFrom(new byte[256]));
    byte[] raw = stub.modelInfer(request.build()).getRawOutputContents(0).toByteArray();
    float[] scores = new float[10];
    Tensors.little(40).put(raw).flip().asFloatBuffer().get(scores);
    List<Integer> ranked = IntStream.range(0, 10).boxed().sorted((a, b) -> Float.compare(scores[b], scores[a])).toList();
    List<String> labels = List.of("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine");
    request.addOutputs(InferRequestedOutputTensor.newBuilder().setName("scores").putParameters("classification", parameter(3)));
    List<byte[]> classes = Tensors.unpackBytes(stub.modelInfer(request.build()).getRawOutputContents(0).toByteArray());
    equal(classes.size(), 3);
    for (int i = 0; i < 3; ++i) {
      String[] parts = new String(classes.get(i), StandardCharsets.UTF_8).split(":");
      equal(List.of(Float.parseFloat(parts[0]), Integer.parseInt(parts[1]), parts[2]),
            List.of(scores[ranked.get(i)], ranked.get(i), labels.get(ranked.get(i))));
    }
  }

  private static void wrong(GRPCInferenceServiceBlockingStub stub, ModelInferRequest.Builder request, String... words) throws Exception {
    fails(Code.INVALID_ARGUMENT, () -> stub.modelInfer(request.build()), words);
  }

  private static InferTensorContents.Builder ints(Integer... values) {
    return InferTensorContents.newBuilder().addAllIntContents(List.of(values));
  }

  private static void inferErrors(GRPCInferenceServiceBlockingStub stub) throws Exception {
    InferTensorContents.Builder floats = InferTensorContents.newBuilder().addFp32Contents(1);
    fails(Code.NOT_FOUND, () -> stub.modelInfer(simple("").setModelName("nobody").build()), "'nobody'");
    wrong(stub, to("simple", row("INPUT0", Tensors.COUNTING)), "'simple'", "'INPUT1'");
    wrong(stub, to("simple", row("INPUT0", Tensors.COUNTING), row("OTHER", Tensors.ONES)), "'simple'", "OTHER");
    wrong(stub, to("simple", row("INPUT0", List.of(1, 2)), row("INPUT1", List.of(1, 2))), "'INPUT0'", "[-1,16]", "[1,2]");
    wrong(stub, typed("INT32", ints(1), 2, 3), "'INPUT'", "24", "4");
    wrong(stub, typed("INT32", floats, 1, 1), "'INPUT'");
    wrong(stub, typed("INT32", ints(1), -1, 1), "'INPUT'", "-1");
    wrong(stub, typed("INT8", ints(128), 1, 1), "'INPUT'", "128");
    wrong(stub, to("identity_INT32", tensor("INPUT", "FP32", 1, 1).setContents(floats)), "'FP32'", "'INT32'");
    wrong(stub, to("identity_INT32", tensor("INPUT", "INT23", 1, 1).setContents(ints(1))), "INT23");
    wrong(stub, raw("INT32", new byte[3], 1, 1), "'INPUT'", "4", "3");
    wrong(stub, typed("INT32", ints(1), 1, 1).addRawInputContents(ByteString.copyFrom(new byte[4])), "'INPUT'");
    wrong(stub, raw("BYTES", new byte[] {9, 0, 0, 0, 1}, 1, 1), "'INPUT'");
    wrong(stub, typed("FP16", floats, 1, 1), "'INPUT'", "FP16");
    fails(Code.UNIMPLEMENTED, () -> stub.modelInfer(to("repeat", int32("IN", List.of(1, 2), 2)).build()), "decoupled");
    expectSimple(stub.modelInfer(simple("").build()), "");
  }

  private static void manyAtOnce(Channel channel) throws Exception {
    var stub = GRPCInferenceServiceGrpc.newFutureStub(channel);
    List<Future<ModelInferResponse>> answers = new ArrayList<>();
    for (int i = 0; i < 1000; ++i) answers.add(stub.modelInfer(simple(String.valueOf(i)).build()));
    for (int i = 0; i < 1000; ++i) expectSimple(answers.get(i).get(), String.valueOf(i));
  }
}
