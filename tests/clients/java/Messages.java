package client;

import com.google.protobuf.ByteString;
import inference.GrpcService.InferParameter;
import inference.GrpcService.InferTensorContents;
import inference.GrpcService.ModelInferRequest;
import inference.GrpcService.ModelInferRequest.InferInputTensor;
import inference.GrpcService.ModelInferResponse;
import java.util.Arrays;
import java.util.List;

/** Requests for ModelInfer, and what is expected of the answers. */
final class Messages {
  static InferInputTensor.Builder tensor(String name, String datatype, long... shape) {
    return InferInputTensor.newBuilder().setName(name).setDatatype(datatype).addAllShape(Arrays.stream(shape).boxed().toList());
  }

  static InferInputTensor.Builder int32(String name, List<Integer> values, long... shape) {
    return tensor(name, "INT32", shape).setContents(InferTensorContents.newBuilder().addAllIntContents(values));
  }

  static InferInputTensor.Builder row(String name, List<Integer> values) { return int32(name, values, 1, values.size()); }

  static ModelInferRequest.Builder to(String model, InferInputTensor.Builder... inputs) {
    ModelInferRequest.Builder request = ModelInferRequest.newBuilder().setModelName(model);
    for (InferInputTensor.Builder input : inputs) request.addInputs(input);
    return request;
  }

  static ModelInferRequest.Builder simple(String id) {
    return to("simple", row("INPUT0", Tensors.COUNTING), row("INPUT1", Tensors.ONES)).setId(id);
  }

  /** A request to the identity of that datatype, with a raw tensor. */
  static ModelInferRequest.Builder raw(String datatype, byte[] raw, long... shape) {
    return to("identity_" + datatype, tensor("INPUT", datatype, shape)).addRawInputContents(ByteString.copyFrom(raw));
  }

  static ModelInferRequest.Builder typed(String datatype, InferTensorContents.Builder contents, long... shape) {
    return to("identity_" + datatype, tensor("INPUT", datatype, shape).setContents(contents));
  }

  static ModelInferRequest.Builder endless() { return to("endless", int32("INPUT", List.of(1), 1)); }

  static InferParameter parameter(Object value) {
    InferParameter.Builder made = InferParameter.newBuilder();
    if (value instanceof Boolean flag) return made.setBoolParam(flag).build();
    if (value instanceof Integer number) return made.setInt64Param(number).build();
    if (value instanceof Long number) return made.setInt64Param(number).build();
    if (value instanceof Double number) return made.setDoubleParam(number).build();
    return made.setStringParam((String) value).build();
  }

  static void expectSimple(ModelInferResponse response, String id) {
    Check.equal(response.getId(), id);
    Check.equal(response.getOutputsList().stream().map(output -> output.getName()).toList(), List.of("OUTPUT0", "OUTPUT1"));
    Check.equal(response.getRawOutputContentsList().stream().map(Tensors::intsOf).toList(), List.of(Tensors.SUMS, Tensors.DIFFERENCES));
  }
}
