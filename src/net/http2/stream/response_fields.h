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

// A response's header fields in HTTP/2 form: ":status" first, names in lower case, no fields of the connection (RFC
// 9113, 8.2.2), Date and Content-Length added. Or its trailers. The views live as long as this object, which must not
// move.
class ResponseFields {
 public:
  // `request_id` is the request's, which is repeated; empty if none. `answer_headers` are BodyPlan's; must outlive
  // this.
  ResponseFields(const HttpResponse& response, std::optional<uint64_t> content_length, std::string_view date,
                 std::string_view request_id = {}, const HeaderList* answer_headers = nullptr);
  explicit ResponseFields(const Trailers& trailers);
  ResponseFields(const ResponseFields&) = delete;
  ResponseFields& operator=(const ResponseFields&) = delete;

  const nghttp2_nv* data() const { return fields_.data(); }
  size_t size() const { return fields_.size(); }

 private:
  void AddAll(const HeaderList& headers);
  // `flags` mark the parts that need no copy because they are literals in lower case.
  void Add(std::string_view name, std::string_view value, uint8_t flags = NGHTTP2_NV_FLAG_NONE);
  // Returns `name` itself, or a copy in lower case.
  std::string_view InLowerCase(std::string_view name);
  // Returns `value` itself, or a copy with a space for each byte that is illegal in a field value (RFC 9113, 8.2.1).
  std::string_view WithoutLineEnds(std::string_view value);
  template <typename Change>
  std::string_view Mended(std::string_view text, Change change);

  std::forward_list<std::string> mended_;  // the few names and values that needed it; their addresses are stable
  char status_[4];
  char length_[24];
  boost::container::small_vector<nghttp2_nv, 12> fields_;
};

}  // namespace inferd::net::http2
