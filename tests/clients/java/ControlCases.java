package client;

import static client.Check.equal;
import static client.Check.fails;
import static client.Check.that;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import grpc.health.v1.HealthGrpc;
import grpc.health.v1.HealthOuterClass.HealthCheckRequest;
import grpc.health.v1.HealthOuterClass.HealthCheckResponse;
import grpc.reflection.v1.Reflection.ServerReflectionRequest;
import grpc.reflection.v1.Reflection.ServerReflectionResponse;
import grpc.reflection.v1.ServerReflectionGrpc;
import inference.GRPCInferenceServiceGrpc;
import inference.GRPCInferenceServiceGrpc.GRPCInferenceServiceBlockingStub;
import inference.GrpcService.*;
import io.grpc.Status.Code;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Every call of inference.GRPCInferenceService but inference, and health and reflection. */
final class ControlCases {
  private interface Test {
    void run(GRPCInferenceServiceBlockingStub stub, Main.Target target) throws Exception;
  }

  private static Main.Case of(Test test) {
    return Connection.with((channel, target) -> test.run(GRPCInferenceServiceGrpc.newBlockingStub(channel), target));
  }

  static void addTo(Map<String, Main.Case> cases) {
    cases.put("grpc_server_health", of((stub, target) -> {
      that(stub.serverLive(ServerLiveRequest.getDefaultInstance()).getLive(), "live");
      that(stub.serverReady(ServerReadyRequest.getDefaultInstance()).getReady(), "ready");
    }));
    cases.put("grpc_server_metadata", of((stub, target) -> {
      ServerMetadataResponse metadata = stub.serverMetadata(ServerMetadataRequest.getDefaultInstance());
      equal(metadata.getName(), "inferd");
      that(metadata.getVersion().matches("\\d+\\.\\d+.*"), metadata.getVersion());
      that(metadata.getExtensionsList().containsAll(List.of("model_repository", "statistics", "system_shared_memory")), "extensions");
    }));
    cases.put("grpc_model_ready", of((stub, target) -> {
      for (String version : List.of("", "1")) that(isReady(stub, "simple", version), "ready");
      fails(Code.NOT_FOUND, () -> isReady(stub, "simple", "7"), "'simple' version 7");
      fails(Code.NOT_FOUND, () -> isReady(stub, "nobody", ""), "'nobody'");
    }));
    cases.put("grpc_model_metadata", of((stub, target) -> modelMetadata(stub)));
    cases.put("grpc_model_config", of((stub, target) -> {
      var config = stub.modelConfig(ModelConfigRequest.newBuilder().setName("digits").build()).getConfig();
      equal(List.of(config.getName(), config.getMaxBatchSize(), config.getOutput(0).getLabelFilename(), config.getInput(0).getDataType().name()),
            List.of("digits", 64, "labels.txt", "TYPE_FP32"));
      fails(Code.NOT_FOUND, () -> stub.modelConfig(ModelConfigRequest.newBuilder().setName("nobody").build()), "'nobody'");
    }));
    cases.put("grpc_model_statistics", of((stub, target) -> modelStatistics(stub)));
    cases.put("grpc_repository_index", of((stub, target) -> {
      var index = stub.repositoryIndex(RepositoryIndexRequest.newBuilder().setReady(true).build()).getModelsList();
      var simple = RepositoryIndexResponse.ModelIndex.newBuilder().setName("simple").setVersion("1").setState("READY").build();
      that(index.contains(simple), "simple in " + index);
      var examples = stub.repositoryIndex(RepositoryIndexRequest.newBuilder().setRepositoryName("examples").build()).getModelsList();
      equal(examples.stream().map(entry -> entry.getName()).sorted().toList(), List.of("digits", "simple"));
    }));
    cases.put("grpc_load_and_unload", of((stub, target) -> loadAndUnload(stub)));
    cases.put("grpc_load_with_a_file", of((stub, target) -> loadWithAFile(stub, Path.of(target.files().get("model")))));
    cases.put("grpc_load_errors", of((stub, target) -> {
      fails(Code.NOT_FOUND, () -> load(stub, "nobody", Map.of()), "'nobody'", "not found");
      fails(Code.INVALID_ARGUMENT, () -> load(stub, "identity_INT64", Map.of("config", text("not json"))), "'config'", "JSON");
      fails(Code.INVALID_ARGUMENT, () -> load(stub, "identity_INT64", Map.of("file:../x", bytes(new byte[1]))), "../x");
      that(isReady(stub, "identity_INT64", ""), "still ready");
    }));
    cases.put("grpc_log_settings", of((stub, target) -> logSettings(stub)));
    cases.put("grpc_trace_settings", of((stub, target) -> traceSettings(stub)));
    cases.put("grpc_system_shared_memory", of((stub, target) -> systemSharedMemory(stub)));
    cases.put("grpc_cuda_shared_memory", of((stub, target) -> {
      equal(stub.cudaSharedMemoryStatus(CudaSharedMemoryStatusRequest.getDefaultInstance()).getRegionsCount(), 0);
      var region = CudaSharedMemoryRegisterRequest.newBuilder().setName("gpu").setRawHandle(ByteString.copyFrom(new byte[64])).setByteSize(4);
      fails(Code.UNIMPLEMENTED, () -> stub.cudaSharedMemoryRegister(region.build()), "'gpu'");
      fails(Code.NOT_FOUND, () -> stub.cudaSharedMemoryStatus(CudaSharedMemoryStatusRequest.newBuilder().setName("gpu").build()), "'gpu'");
      stub.cudaSharedMemoryUnregister(CudaSharedMemoryUnregisterRequest.getDefaultInstance());
    }));
    cases.put("grpc_health", Connection.with((channel, target) -> {
      var stub = HealthGrpc.newBlockingStub(channel);
      for (String service : List.of("", "inference.GRPCInferenceService")) {
        equal(stub.check(HealthCheckRequest.newBuilder().setService(service).build()).getStatus(), HealthCheckResponse.ServingStatus.SERVING);
      }
      fails(Code.NOT_FOUND, () -> stub.check(HealthCheckRequest.newBuilder().setService("nothing").build()));
      Connection.Reader<HealthCheckRequest, HealthCheckResponse> watch = new Connection.Reader<>();
      HealthGrpc.newStub(channel).watch(HealthCheckRequest.getDefaultInstance(), watch);
      equal(watch.next().getStatus(), HealthCheckResponse.ServingStatus.SERVING);
      watch.requests.cancel("seen", null);
      fails(Code.CANCELLED, watch::next);
    }));
    cases.put("grpc_reflection", Connection.with((channel, target) -> {
      Connection.Reader<ServerReflectionRequest, ServerReflectionResponse> stream = new Connection.Reader<>();
      ServerReflectionGrpc.newStub(channel).serverReflectionInfo(stream);
      stream.requests.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
      stream.requests.onNext(ServerReflectionRequest.newBuilder().setFileContainingSymbol("inference.GRPCInferenceService").build());
      stream.requests.onNext(ServerReflectionRequest.newBuilder().setFileContainingSymbol("inference.Nothing").build());
      stream.requests.onCompleted();
      List<ServerReflectionResponse> answers = stream.all();
      List<String> names = answers.get(0).getListServicesResponse().getServiceList().stream().map(service -> service.getName()).toList();
      that(names.containsAll(List.of("inference.GRPCInferenceService", "grpc.health.v1.Health")), "services in " + names);
      var file = FileDescriptorProto.parseFrom(answers.get(1).getFileDescriptorResponse().getFileDescriptorProto(0));
      equal(file.getService(0).getMethodCount(), GRPCInferenceServiceGrpc.getServiceDescriptor().getMethods().size());
      equal(answers.get(2).getErrorResponse().getErrorCode(), Code.NOT_FOUND.value());
    }));
  }

  private static boolean isReady(GRPCInferenceServiceBlockingStub stub, String model, String version) {
    return stub.modelReady(ModelReadyRequest.newBuilder().setName(model).setVersion(version).build()).getReady();
  }

  private static void modelMetadata(GRPCInferenceServiceBlockingStub stub) throws Exception {
    ModelMetadataResponse metadata = stub.modelMetadata(ModelMetadataRequest.newBuilder().setName("simple").build());
    ModelMetadataResponse.Builder expected = ModelMetadataResponse.newBuilder().setName("simple").addVersions("1").setPlatform("onnx_onnxv1");
    for (String name : List.of("INPUT0", "INPUT1")) expected.addInputs(described(name));
    for (String name : List.of("OUTPUT0", "OUTPUT1")) expected.addOutputs(described(name));
    equal(metadata.toBuilder().clearParameters().build(), expected.build());
    fails(Code.NOT_FOUND, () -> stub.modelMetadata(ModelMetadataRequest.newBuilder().setName("nobody").build()), "'nobody'");
  }

  private static ModelMetadataResponse.TensorMetadata described(String name) {
    return ModelMetadataResponse.TensorMetadata.newBuilder().setName(name).setDatatype("INT32").addShape(-1).addShape(16).build();
  }

  private static List<Long> counts(GRPCInferenceServiceBlockingStub stub, String version) {
    var stats = stub.modelStatistics(ModelStatisticsRequest.newBuilder().setName("identity_INT8").setVersion(version).build()).getModelStats(0);
    return List.of(stats.getInferenceCount(), stats.getInferenceStats().getSuccess().getCount(), stats.getInferenceStats().getFail().getCount());
  }

  private static void modelStatistics(GRPCInferenceServiceBlockingStub stub) throws Exception {
    List<Long> before = counts(stub, "");
    stub.modelInfer(Messages.raw("INT8", new byte[2], 2, 1).build());
    fails(Code.INVALID_ARGUMENT, () -> stub.modelInfer(Messages.raw("INT8", new byte[1], 2, 1).build()));
    equal(counts(stub, "1"), List.of(before.get(0) + 2, before.get(1) + 1, before.get(2) + 1));
    var names = stub.modelStatistics(ModelStatisticsRequest.getDefaultInstance()).getModelStatsList().stream().map(stats -> stats.getName()).toList();
    that(names.containsAll(List.of("simple", "digits")), "models in " + names);
    fails(Code.NOT_FOUND, () -> stub.modelStatistics(ModelStatisticsRequest.newBuilder().setName("nobody").build()), "nobody");
  }

  private static ModelRepositoryParameter text(String value) { return ModelRepositoryParameter.newBuilder().setStringParam(value).build(); }

  private static ModelRepositoryParameter bytes(byte[] value) {
    return ModelRepositoryParameter.newBuilder().setBytesParam(ByteString.copyFrom(value)).build();
  }

  private static Object load(GRPCInferenceServiceBlockingStub stub, String model, Map<String, ModelRepositoryParameter> parameters) {
    return stub.repositoryModelLoad(RepositoryModelLoadRequest.newBuilder().setModelName(model).putAllParameters(parameters).build());
  }

  private static void unload(GRPCInferenceServiceBlockingStub stub, String model) {
    stub.repositoryModelUnload(RepositoryModelUnloadRequest.newBuilder().setModelName(model).build());
    while (stub.repositoryIndex(RepositoryIndexRequest.getDefaultInstance()).getModelsList().stream()
               .noneMatch(entry -> entry.getName().equals(model) && entry.getState().equals("UNAVAILABLE"))) {
      Thread.onSpinWait();
    }
  }

  private static void loadAndUnload(GRPCInferenceServiceBlockingStub stub) throws Exception {
    ModelInferRequest request = Messages.raw("UINT16", new byte[] {7, 0}, 1, 1).build();
    unload(stub, "identity_UINT16");
    that(!isReady(stub, "identity_UINT16", ""), "no longer ready");
    fails(Code.UNAVAILABLE, () -> stub.modelInfer(request), "identity_UINT16");
    load(stub, "identity_UINT16", Map.of());
    that(isReady(stub, "identity_UINT16", ""), "ready again");
    equal(stub.modelInfer(request).getRawOutputContents(0).toByteArray(), new byte[] {7, 0});
  }

  private static void loadWithAFile(GRPCInferenceServiceBlockingStub stub, Path model) throws Exception {
    load(stub, "adder", Map.of("config", text("{\"backend\": \"onnxruntime\"}"), "file:3/model.onnx", bytes(Files.readAllBytes(model))));
    equal(List.copyOf(stub.modelMetadata(ModelMetadataRequest.newBuilder().setName("adder").build()).getVersionsList()), List.of("3"));
    ModelInferResponse response = stub.modelInfer(Messages.to("adder", Messages.int32("INPUT", List.of(2, -50), 2)).build());
    equal(Tensors.intsOf(response.getRawOutputContents(0)), List.of(42, -10));
    unload(stub, "adder");
  }

  private static void logSettings(GRPCInferenceServiceBlockingStub stub) throws Exception {
    var before = stub.logSettings(LogSettingsRequest.getDefaultInstance());
    that(before.getSettingsOrThrow("log_info").getBoolParam(), "log_info");
    equal(change(stub, "log_verbose_level", 1).getSettingsOrThrow("log_verbose_level").getUint32Param(), 1);
    equal(change(stub, "log_verbose_level", 0), before);
    fails(Code.INVALID_ARGUMENT, () -> change(stub, "log_nonsense", 1), "log_nonsense");
  }

  private static LogSettingsResponse change(GRPCInferenceServiceBlockingStub stub, String name, int value) {
    var setting = LogSettingsRequest.SettingValue.newBuilder().setUint32Param(value).build();
    return stub.logSettings(LogSettingsRequest.newBuilder().putSettings(name, setting).build());
  }

  private static TraceSettingResponse trace(GRPCInferenceServiceBlockingStub stub, String model, String name, List<String> values) {
    var setting = TraceSettingRequest.SettingValue.newBuilder().addAllValue(values).build();
    return stub.traceSetting(TraceSettingRequest.newBuilder().setModelName(model).putSettings(name, setting).build());
  }

  private static void traceSettings(GRPCInferenceServiceBlockingStub stub) throws Exception {
    TraceSettingResponse before = stub.traceSetting(TraceSettingRequest.getDefaultInstance());
    equal(before.getSettingsOrThrow("trace_level").getValue(0), "OFF");
    equal(trace(stub, "simple", "trace_rate", List.of("7")).getSettingsOrThrow("trace_rate").getValue(0), "7");
    equal(stub.traceSetting(TraceSettingRequest.getDefaultInstance()), before);
    equal(trace(stub, "simple", "trace_rate", List.of()), before);
    fails(Code.INVALID_ARGUMENT, () -> trace(stub, "", "trace_nonsense", List.of("1")), "trace_nonsense");
    fails(Code.NOT_FOUND, () -> stub.traceSetting(TraceSettingRequest.newBuilder().setModelName("nobody").build()), "nobody");
  }

  private static Map<String, InferParameter> place(int offset) {
    return new TreeMap<>(Map.of("shared_memory_region", Messages.parameter("java"), "shared_memory_offset", Messages.parameter(offset),
                                "shared_memory_byte_size", Messages.parameter(64)));
  }

  private static void systemSharedMemory(GRPCInferenceServiceBlockingStub stub) throws Exception {
    String key = "/inferd-test-java-" + ProcessHandle.current().pid();
    Path path = Path.of("/dev/shm" + key);
    byte[] bytes = new byte[256];
    System.arraycopy(Tensors.raw(Tensors.COUNTING), 0, bytes, 0, 64);
    Files.write(path, bytes);
    try {
      stub.systemSharedMemoryRegister(SystemSharedMemoryRegisterRequest.newBuilder().setName("java").setKey(key).setByteSize(256).build());
      var one = SystemSharedMemoryStatusRequest.newBuilder().setName("java").build();
      var region = SystemSharedMemoryStatusResponse.RegionStatus.newBuilder().setName("java").setKey(key).setByteSize(256).build();
      equal(stub.systemSharedMemoryStatus(one).getRegionsMap(), Map.of("java", region));
      ModelInferRequest.Builder request = ModelInferRequest.newBuilder().setModelName("simple");
      for (String name : List.of("INPUT0", "INPUT1")) request.addInputs(Messages.tensor(name, "INT32", 1, 16).putAllParameters(place(0)));
      request.addOutputs(ModelInferRequest.InferRequestedOutputTensor.newBuilder().setName("OUTPUT0").putAllParameters(place(64)));
      ModelInferResponse response = stub.modelInfer(request.build());
      equal(response.getOutputs(0).getParametersOrThrow("shared_memory_region").getStringParam(), "java");
      equal(Tensors.intsOf(ByteString.copyFrom(Files.readAllBytes(path), 64, 64)), Tensors.COUNTING.stream().map(value -> 2 * value).toList());
      stub.systemSharedMemoryUnregister(SystemSharedMemoryUnregisterRequest.newBuilder().setName("java").build());
      fails(Code.NOT_FOUND, () -> stub.systemSharedMemoryStatus(one), "'java'");
      var none = SystemSharedMemoryRegisterRequest.newBuilder().setName("none").setKey("/inferd-test-none").setByteSize(4).build();
      fails(Code.INVALID_ARGUMENT, () -> stub.systemSharedMemoryRegister(none), "/inferd-test-none");
    } finally {
      Files.delete(path);
    }
  }
}
