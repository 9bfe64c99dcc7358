#include "protocols/v2/single_response.h"

#include <utility>

#include "serving/core/request/response_parameters.h"

namespace inferd::v2 {

bool SingleResponse::Add(core::InferResponse&& response) {
  const bool final = response.final;
  if (count_ > 0 && !response_.status.ok()) return final;
  const bool carries = !final || !response.status.ok() || !response.outputs.empty() || count_ == 0;
  if (!carries) {
    core::AddResponseParameters(response_.parameters, std::move(response.parameters));
  } else if (++count_ == 1) {
    response_ = std::move(response);
  }
  return final;
}

}  // namespace inferd::v2
