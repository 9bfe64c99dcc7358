#include "ctl/program/validation_report.h"

#include <gmock/gmock.h>

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kPrinted =
    "  problem: /other: cannot be read\n"
    "model 'good' in /models/good\n"
    "  warning: a warning\n"
    "    of two lines\n"
    "  version 2 batches: its rows are its own\n"
    "  version 2, completed configuration:\n"
    "    name: \"good\"\n"
    "    input {\n"
    "      name: \"x\"\n"
    "    }\n"
    "model 'bad' in /models/bad\n"
    "  problem: version 1: it is no model\n"
    "  problem: another\n"
    "2 models, 3 problems\n";

TEST(ValidationReportTest, HasThePartsOfWhatWasPrinted) {
  const ValidationReport report = ParseValidationReport(kPrinted);
  EXPECT_THAT(report.problems, ElementsAre("/other: cannot be read"));
  ASSERT_EQ(report.models.size(), 2u);
  const ValidationReport::Model& good = report.models[0];
  EXPECT_EQ(good.name, "good");
  EXPECT_EQ(good.folder, "/models/good");
  EXPECT_THAT(good.problems, IsEmpty());
  EXPECT_THAT(good.warnings, ElementsAre("a warning\nof two lines"));
  EXPECT_THAT(good.notes, ElementsAre("version 2 batches: its rows are its own"));
  ASSERT_EQ(good.configurations.size(), 1u);
  EXPECT_EQ(good.configurations[0].version, "2");
  EXPECT_EQ(good.configurations[0].text, "name: \"good\"\ninput {\n  name: \"x\"\n}");
  EXPECT_EQ(report.models[1].name, "bad");
  EXPECT_THAT(report.models[1].problems, ElementsAre("version 1: it is no model", "another"));
}

TEST(ValidationReportTest, WhatNoModelIsAboutIsAProblem) {
  EXPECT_THAT(ParseValidationReport("the engine does not open\n").problems, ElementsAre("the engine does not open"));
  EXPECT_THAT(ParseValidationReport("0 models, 0 problems\n").problems, IsEmpty());
  EXPECT_THAT(ParseValidationReport("").models, IsEmpty());
}

TEST(ValidationReportTest, IsWrittenAsJson) {
  json::Writer writer;
  WriteValidationReport(writer, "p", false, ParseValidationReport("model 'm' in /m\n  problem: why\n"));
  EXPECT_EQ(writer.TakeString(),
            R"({"path":"p","valid":false,"problems":[],"models":[{"name":"m","folder":"/m","problems":["why"],)"
            R"("warnings":[],"notes":[],"configurations":[]}]})");
}

}  // namespace
}  // namespace inferd::ctl
