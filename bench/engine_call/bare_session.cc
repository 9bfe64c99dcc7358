#include "bench/engine_call/bare_session.h"

#include "bench/engine_call/require.h"

namespace inferd::bench {

BareSession::BareSession(const OrtApi& ort, OrtEnv* env, const std::string& file, const Case& what, int threads)
    : ort_(ort), case_(what) {
  Check(ort_.CreateSessionOptions(&options_));
  Check(ort_.SetIntraOpNumThreads(options_, threads));
  Check(ort_.CreateSession(env, file.c_str(), options_, &session_));
  Check(ort_.CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory_));
}

BareSession::~BareSession() {
  ort_.ReleaseMemoryInfo(memory_);
  ort_.ReleaseSession(session_);
  ort_.ReleaseSessionOptions(options_);
}

void BareSession::Check(OrtStatus* status) const {
  Require(status == nullptr, status ? ort_.GetErrorMessage(status) : "");
}

BareSession::Caller::Caller(const BareSession& session, int64_t rows_max) : session_(session) {
  const Case& what = session.case_;
  dims_.assign(what.shape.dims().begin(), what.shape.dims().end());
  row_bytes_ = static_cast<size_t>(*what.shape.ElementCount()) * tensor::ElementSize(what.datatype);
  data_.assign(what.inputs.size(), std::vector<std::byte>(row_bytes_ * static_cast<size_t>(rows_max)));
  for (const std::string& name : what.inputs) input_names_.push_back(name.c_str());
  for (const std::string& name : what.outputs) output_names_.push_back(name.c_str());
  inputs_.resize(what.inputs.size());
  outputs_.resize(what.outputs.size());
}

void BareSession::Caller::Call(int64_t rows) {
  const OrtApi& ort = session_.ort_;
  dims_[0] = rows;
  const size_t bytes = row_bytes_ * static_cast<size_t>(rows);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    session_.Check(ort.CreateTensorWithDataAsOrtValue(session_.memory_, data_[i].data(), bytes, dims_.data(),
                                                      dims_.size(), session_.case_.element_type, &inputs_[i]));
  }
  session_.Check(ort.Run(session_.session_, nullptr, input_names_.data(), inputs_.data(), inputs_.size(),
                         output_names_.data(), output_names_.size(), outputs_.data()));
  for (OrtValue*& value : inputs_) ort.ReleaseValue(value);
  for (OrtValue*& value : outputs_) {
    ort.ReleaseValue(value);
    value = nullptr;
  }
}

}  // namespace inferd::bench
