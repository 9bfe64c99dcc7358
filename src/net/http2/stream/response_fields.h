#pragma once

#include <nghttp2/nghttp2.h>

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/http/http.h"

namespace inferd::net::http2 {

// A response's header fields as HTTP/2 has them: ":status" first, names in lower case, nothing that belongs to a
// connection (RFC 9113, 8.2.2), Date and Content-Length added; or its trailers. The views live as long as this object,
// which stays put.
class ResponseFields {
 public:
  // `request_id`: the request's, which is repeated; empty: none. `answer_headers`: BodyPlan's; outlives this object.
  ResponseFields(const HttpResponse& response, std::optional<uint64_t> content_length, std::string_view date,
                 std::string_view request_id = {}, const HeaderList* answer_headers = nullptr);
  explicit ResponseFields(const Trailers& trailers);
  ResponseFields(const ResponseFields&) = delete;
  ResponseFields& operator=(const ResponseFields&) = delete;

  const nghttp2_nv* data() const { return fields_.data(); }
  size_t size() const { return fields_.size(); }

 private:
  void AddAll(const HeaderList& headers);
  // `flags`: what need not be copied, being a literal in lower case.
  void Add(std::string_view name, std::string_view value, uint8_t flags = NGHTTP2_NV_FLAG_NONE);
  // `name` itself, or a copy in lower case.
  std::string_view InLowerCase(std::string_view name);
  // `value` itself, or a copy with a space for each byte that no field value may hold (RFC 9113, 8.2.1).
  std::string_view WithoutLineEnds(std::string_view value);
  template <typename Change>
  std::string_view Mended(std::string_view text, Change change);

  std::forward_list<std::string> mended_;  // the few names and values that needed it; they stay put
  char status_[4];
  char length_[24];
  boost::container::small_vector<nghttp2_nv, 12> fields_;
};

}  // namespace inferd::net::http2
