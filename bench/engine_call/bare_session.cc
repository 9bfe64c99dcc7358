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

BareSession::Caller::Caller(const BareSession& session, int64_t rows) : session_(session) {
  const Case& what = session.case_;
  dims_.assign(what.shape.dims().begin(), what.shape.dims().end());
  dims_[0] = rows;
  const size_t bytes =
      static_cast<size_t>(*what.shape.ElementCount()) * static_cast<size_t>(rows) * tensor::ElementSize(what.datatype);
  data_.assign(what.inputs.size(), std::vector<std::byte>(bytes));
  for (const std::string& name : what.inputs) input_names_.push_back(name.c_str());
  for (const std::string& name : what.outputs) output_names_.push_back(name.c_str());
  inputs_.resize(what.inputs.size());
  outputs_.resize(what.outputs.size());
}

void BareSession::Caller::Call() {
  const OrtApi& ort = session_.ort_;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    session_.Check(ort.CreateTensorWithDataAsOrtValue(session_.memory_, data_[i].data(), data_[i].size(), dims_.data(),
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
