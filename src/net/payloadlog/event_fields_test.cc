#include "net/payloadlog/event_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::payloadlog {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(EventFieldsTest, ARequestHasWhatKServeWrites) {
  Payload payload;
  payload.id = "7";
  payload.subject = "/v1/models/a%20b:predict";
  payload.fields = {{"Content-Type", "application/json"}};
  payload.traceparent = "00-1-2-01";
  const EventOrigin origin{.source = "http://pod/",
                           .inference_service = "iris",
                           .namespace_name = "ns",
                           .component = "predictor",
                           .endpoint = "default"};
  EXPECT_THAT(
      EventFields(origin, payload),
      ElementsAre(Pair("Content-Type", "application/json"), Pair("Ce-Specversion", "1.0"), Pair("Ce-Id", "7"),
                  Pair("Ce-Type", "org.kubeflow.serving.inference.request"), Pair("Ce-Source", "http://pod/"),
                  Pair("Ce-Time", "1970-01-01T00:00:00.000000Z"), Pair("Ce-Subject", "/v1/models/a%2520b:predict"),
                  Pair("Ce-Traceparent", "00-1-2-01"), Pair("Ce-Inferenceservicename", "iris"),
                  Pair("Ce-Namespace", "ns"), Pair("Ce-Component", "predictor"), Pair("Ce-Endpoint", "default")));
}

TEST(EventFieldsTest, AResponseSaysSoAndWhatIsNotKnownIsLeftOut) {
  Payload payload;
  payload.kind = PayloadKind::kResponse;
  payload.id = "7";
  EXPECT_THAT(EventFields({.source = "s"}, payload),
              ElementsAre(Pair("Ce-Specversion", "1.0"), Pair("Ce-Id", "7"),
                          Pair("Ce-Type", "org.kubeflow.serving.inference.response"), Pair("Ce-Source", "s"),
                          Pair("Ce-Time", "1970-01-01T00:00:00.000000Z")));
}

TEST(EventFieldsTest, NothingLeavesItsHeader) {
  Payload payload;
  payload.id = "a\r\nb \"c\"\xC3\xA4";
  EXPECT_THAT(EventFields({.source = "s"}, payload), Contains(Pair("Ce-Id", "a%0D%0Ab%20%22c%22%C3%A4")));
}

}  // namespace
}  // namespace inferd::payloadlog
