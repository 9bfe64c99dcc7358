// A library with one custom operator for ONNX Runtime: inferd.test.Double, FP32, twice its input.
#include <onnxruntime_c_api.h>

#include <cstddef>

namespace {

const OrtApi* ort = nullptr;

OrtStatus* ORT_API_CALL Compute(void*, OrtKernelContext* context) {
  const OrtValue* input = nullptr;
  if (OrtStatus* status = ort->KernelContext_GetInput(context, 0, &input)) return status;
  OrtTensorTypeAndShapeInfo* info = nullptr;
  if (OrtStatus* status = ort->GetTensorTypeAndShape(input, &info)) return status;
  int64_t shape[8];
  size_t rank = 0;
  size_t count = 0;
  OrtStatus* status = ort->GetDimensionsCount(info, &rank);
  if (status == nullptr && rank > 8) status = ort->CreateStatus(ORT_INVALID_ARGUMENT, "too many dimensions");
  if (status == nullptr) status = ort->GetDimensions(info, shape, rank);
  if (status == nullptr) status = ort->GetTensorShapeElementCount(info, &count);
  ort->ReleaseTensorTypeAndShapeInfo(info);
  if (status != nullptr) return status;
  OrtValue* output = nullptr;
  void* in = nullptr;
  void* out = nullptr;
  if ((status = ort->KernelContext_GetOutput(context, 0, shape, rank, &output)) != nullptr) return status;
  if ((status = ort->GetTensorMutableData(const_cast<OrtValue*>(input), &in)) != nullptr) return status;
  if ((status = ort->GetTensorMutableData(output, &out)) != nullptr) return status;
  for (size_t i = 0; i < count; ++i) static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in)[i];
  return nullptr;
}

OrtCustomOp MakeOperator() {
  OrtCustomOp op = {};
  op.version = ORT_API_VERSION;
  op.GetName = [](const OrtCustomOp*) { return "Double"; };
  op.GetExecutionProviderType = [](const OrtCustomOp*) -> const char* { return nullptr; };
  op.GetInputType = [](const OrtCustomOp*, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
  op.GetInputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetOutputType = [](const OrtCustomOp*, size_t) { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; };
  op.GetOutputTypeCount = [](const OrtCustomOp*) -> size_t { return 1; };
  op.GetInputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetOutputCharacteristic = [](const OrtCustomOp*, size_t) { return INPUT_OUTPUT_REQUIRED; };
  op.GetInputMemoryType = [](const OrtCustomOp*, size_t) { return OrtMemTypeDefault; };
  op.CreateKernelV2 = [](const OrtCustomOp*, const OrtApi*, const OrtKernelInfo*, void** kernel) -> OrtStatus* {
    *kernel = nullptr;
    return nullptr;
  };
  op.KernelComputeV2 = Compute;
  op.KernelDestroy = [](void*) {};
  return op;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* ORT_API_CALL RegisterCustomOps(OrtSessionOptions* options,
                                                                                            const OrtApiBase* base) {
  static const OrtCustomOp op = MakeOperator();
  ort = base->GetApi(ORT_API_VERSION);
  OrtCustomOpDomain* domain = nullptr;  // the session keeps it, and the process ends with it
  if (OrtStatus* status = ort->CreateCustomOpDomain("inferd.test", &domain)) return status;
  if (OrtStatus* status = ort->CustomOpDomain_Add(domain, &op)) return status;
  return ort->AddCustomOpDomain(options, domain);
}
