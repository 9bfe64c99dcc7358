#include "protocols/kserve_v1/codec/cloud_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "net/fake_exchange.h"

namespace inferd::kserve_v1 {
namespace {

using ::testing::MatchesRegex;
using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

const Headers kBinary = {{"Ce-Specversion", "1.0"}, {"CE-ID", "7"}, {"ce-source", "s"}, {"ce-type", "t"}};
const Headers kStructured = {{"Content-Type", "Application/CloudEvents+JSON ; charset=utf-8"}};

net::RequestHead HeadOf(const Headers& headers) {
  net::RequestHead head;
  for (const auto& header : headers) head.headers.push_back(header);
  return head;
}

// Returns the data, the error, or "none" if it is not an event.
std::string DataOf(const Headers& headers, std::string_view body) {
  const auto event = CloudEvent::Of(HeadOf(headers));
  if (!event.has_value()) return event.error().message();
  if (*event == nullptr) return "none";
  const auto data = (*event)->ReadData(body, 8);
  return data.has_value() ? std::string(*data) : data.error().message();
}

net::HttpResponse AnswerTo(const Headers& headers, std::string_view body, const config::EventOptions& options) {
  auto event = CloudEvent::Of(HeadOf(headers));
  EXPECT_TRUE((*event)->ReadData(body, 8).has_value());
  const CloudEvent answer = (*event)->Answer(options, "m", 1'700'000'000'123'456'789);
  json::Writer json;
  answer.Begin(json);
  json.BeginArray();
  json.EndArray();
  return answer.End(std::move(json));
}

TEST(CloudEventTest, IsInTheHeadOrInTheBody) {
  EXPECT_EQ(DataOf(kBinary, "data"), "data");
  EXPECT_EQ(DataOf({}, "data"), "none");
  for (size_t i = 0; i < kBinary.size(); ++i) {
    Headers headers = kBinary;
    headers.erase(headers.begin() + static_cast<ptrdiff_t>(i));
    EXPECT_EQ(DataOf(headers, "data"), "none") << kBinary[i].first;
  }
  EXPECT_EQ(DataOf(kStructured, R"({"specversion":"0.3","id":"1","source":"s","type":"t","x":{},"data": [1] })"),
            "[1]");
  EXPECT_EQ(DataOf(kStructured, R"({"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"WzFd"})"),
            "[1]");
}

TEST(CloudEventTest, HasSoManyAttributes) {
  Headers headers = kBinary;
  std::vector<std::string> names;
  std::string body = R"({"specversion":"1.0","id":"1","source":"s","type":"t")";
  for (int i = 0; i < 60; ++i) names.push_back("ce-x" + std::to_string(i));
  for (const std::string& name : names) {
    headers.emplace_back(name, "1");
    body += ",\"" + name.substr(3) + "\":1";
  }
  EXPECT_EQ(DataOf(headers, "[]"), "[]");
  EXPECT_EQ(DataOf(kStructured, body + R"(,"data":[]})"), "[]");
  headers.emplace_back("ce-more", "1");
  EXPECT_EQ(DataOf(headers, "[]"), "Cloud Event Exceptions: the event has more than 64 attributes");
  EXPECT_EQ(DataOf(kStructured, body + R"(,"more":1,"data":[]})"),
            "Cloud Event Exceptions: the event has more than 64 attributes");
}

TEST(CloudEventTest, MustBeWhole) {
  EXPECT_EQ(DataOf(kBinary, ""), "Cloud Event Exceptions: the event has no data");
  Headers unknown = kBinary;
  unknown[0].second = "2.0";
  EXPECT_EQ(DataOf(unknown, "data"), "Cloud Event Exceptions: unknown specversion '2.0'");
  const auto structured = [](std::string_view body) { return DataOf(kStructured, body); };
  EXPECT_EQ(structured("{}"), "Cloud Event Exceptions: the event has no specversion");
  EXPECT_EQ(structured(R"({"specversion":1.0})"), "Cloud Event Exceptions: the event has no specversion");
  EXPECT_EQ(structured(R"({"specversion":"1.0","id":""})"), "Cloud Event Exceptions: the event has no id");
  EXPECT_EQ(structured(R"({"specversion":"1.0","id":"1","source":"s","type":"t"})"),
            "Cloud Event Exceptions: the event has no data");
  EXPECT_EQ(structured(R"({"specversion":"1.0","id":"1","source":"s","type":"t","data":null})"),
            "Cloud Event Exceptions: the event has no data");
  EXPECT_EQ(structured(R"({"specversion":"1.0","id":"1","source":"s","type":"t","data_base64":"?"})"),
            "Cloud Event Exceptions: data_base64 is no base64");
  EXPECT_EQ(structured("7"), "Unrecognized request format: expected an object");
  EXPECT_THAT(structured("{\"data\": [[[[[[[[[[]]]]]]]]]]}"),
              MatchesRegex("Unrecognized request format: nested deeper.*"));
}

TEST(CloudEventTest, IsAnsweredInItsMode) {
  const net::HttpResponse binary = AnswerTo(kBinary, "x", {});
  EXPECT_EQ(BodyText(binary), "[]");
  EXPECT_EQ(binary.content_type, "application/json");
  EXPECT_EQ(HeaderValue(binary, "ce-specversion"), "1.0");
  EXPECT_EQ(HeaderValue(binary, "ce-source"), "io.kserve.inference.m");
  EXPECT_EQ(HeaderValue(binary, "ce-type"), "io.kserve.inference.response");
  EXPECT_EQ(HeaderValue(binary, "ce-time"), "2023-11-14T22:13:20.123456Z");
  EXPECT_THAT(std::string(HeaderValue(binary, "ce-id")),
              MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  const std::string_view body = R"({"specversion":"1.0","id":"1","source":"s","type":"t","more":true,"data":1})";
  const net::HttpResponse structured = AnswerTo(kStructured, body, {});
  EXPECT_EQ(structured.content_type, "application/cloudevents+json");
  EXPECT_THAT(BodyText(structured),
              MatchesRegex("\\{\"specversion\":\"1.0\",\"id\":\"[0-9a-f-]{36}\",\"source\":\"io.kserve"
                           ".inference.m\",\"type\":\"io.kserve.inference.response\",\"time\":\"2023-"
                           "[^\"]*Z\",\"datacontenttype\":\"application/json\",\"data\":\\[\\]\\}"));
}

TEST(CloudEventTest, AnswersMayKeepWhatTheRequestSaid) {
  const config::EventOptions options{.type = "t2", .source = "s2", .merge = true};
  Headers headers = kBinary;
  headers.emplace_back("ce-More", "yes");
  const net::HttpResponse binary = AnswerTo(headers, "x", options);
  EXPECT_EQ(HeaderValue(binary, "ce-more"), "yes");
  EXPECT_EQ(HeaderValue(binary, "ce-source"), "s2");
  EXPECT_EQ(HeaderValue(binary, "ce-type"), "t2");
  EXPECT_NE(HeaderValue(binary, "ce-id"), "7");
  const std::string_view body = R"({"specversion":"1.0","id":"1","source":"s","type":"t","more":true,"data":1})";
  EXPECT_THAT(BodyText(AnswerTo(kStructured, body, options)), ::testing::HasSubstr(R"("more":true,)"));
}

TEST(CloudEventTest, ABodyMayBeOneThatDoesNotSaySo) {
  EXPECT_EQ(FindEventData(R"({"data":{"a":1},"time":"","type":"","source":"","id":"","specversion":""})", 8),
            R"({"a":1})");
  EXPECT_EQ(FindEventData(R"({"data":{"a":1},"type":"","source":"","id":"","specversion":""})", 8), "");
  EXPECT_EQ(FindEventData("[", 8), "");
}

}  // namespace
}  // namespace inferd::kserve_v1
