#include "serving/tracing/trace_record.h"

namespace inferd::tracing {

std::string_view ActivityName(core::TraceActivity activity) {
  using core::TraceActivity;
  switch (activity) {
    case TraceActivity::kHttpRecvStart: return "HTTP_RECV_START";
    case TraceActivity::kHttpRecvEnd: return "HTTP_RECV_END";
    case TraceActivity::kGrpcWaitReadStart: return "GRPC_WAITREAD_START";
    case TraceActivity::kGrpcWaitReadEnd: return "GRPC_WAITREAD_END";
    case TraceActivity::kRequestStart: return "REQUEST_START";
    case TraceActivity::kQueueStart: return "QUEUE_START";
    case TraceActivity::kComputeStart: return "COMPUTE_START";
    case TraceActivity::kComputeInputEnd: return "COMPUTE_INPUT_END";
    case TraceActivity::kComputeOutputStart: return "COMPUTE_OUTPUT_START";
    case TraceActivity::kComputeEnd: return "COMPUTE_END";
    case TraceActivity::kInferResponseComplete: return "INFER_RESPONSE_COMPLETE";
    case TraceActivity::kRequestEnd: return "REQUEST_END";
    case TraceActivity::kHttpSendStart: return "HTTP_SEND_START";
    case TraceActivity::kHttpSendEnd: return "HTTP_SEND_END";
    case TraceActivity::kGrpcSendStart: return "GRPC_SEND_START";
    case TraceActivity::kGrpcSendEnd: return "GRPC_SEND_END";
    case TraceActivity::kTensorQueueInput: return "TENSOR_QUEUE_INPUT";
    case TraceActivity::kTensorBackendInput: return "TENSOR_BACKEND_INPUT";
    case TraceActivity::kTensorBackendOutput: return "TENSOR_BACKEND_OUTPUT";
    case TraceActivity::kCustom: return "CUSTOM_ACTIVITY";
  }
  return "";
}

}  // namespace inferd::tracing
