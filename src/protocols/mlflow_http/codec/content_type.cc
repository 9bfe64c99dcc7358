#include "protocols/mlflow_http/codec/content_type.h"

#include "base/text/ascii_case.h"
#include "base/text/printable.h"
#include "net/http/ascii.h"

namespace inferd::mlflow_http {

namespace {

constexpr size_t kQuotedTypeBytesMax = 256;

std::string_view TakePart(std::string_view& text) {
  const size_t end = text.find(';');
  const std::string_view part = net::TrimSpace(text.substr(0, end));
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

}  // namespace

base::Result<BodyForm> FormOfBody(std::string_view content_type) {
  std::string_view rest = content_type;
  const std::string_view type = TakePart(rest);
  while (!rest.empty()) {
    const std::string_view parameter = TakePart(rest);
    if (parameter.empty()) continue;
    const size_t equals = parameter.find('=');
    const std::string_view key = net::TrimSpace(parameter.substr(0, equals));
    std::string_view value = equals == std::string_view::npos ? "" : net::TrimSpace(parameter.substr(equals + 1));
    if (!base::EqualWithoutCase(key, "charset")) {
      return std::unexpected(base::InvalidArgument(
          "Unrecognized content type parameters: " + base::Printable(key, kQuotedTypeBytesMax) +
          ". The scoring protocol is the one of MLflow 2.0 and later, which has no formats but those of the body."));
    }
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
    if (base::EqualWithoutCase(value, "utf-8") || base::EqualWithoutCase(value, "utf8")) continue;
    return std::unexpected(base::InvalidArgument("The scoring server only supports UTF-8"));
  }
  if (base::EqualWithoutCase(type, "application/json")) return BodyForm::kJson;
  if (base::EqualWithoutCase(type, "text/csv")) return BodyForm::kCsv;
  return std::unexpected(
      base::InvalidArgument("This predictor only supports the following content types: Types: ['text/csv', "
                            "'application/json']. Got '" +
                            base::Printable(content_type, kQuotedTypeBytesMax) + "'."));
}

}  // namespace inferd::mlflow_http
