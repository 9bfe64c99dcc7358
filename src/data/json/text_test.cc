#include "data/json/text.h"

#include <gtest/gtest.h>

namespace inferd::json {
namespace text_test {

// Returns the fault that ScanString() finds in `content` followed by a quote, or "".
std::string FaultOf(std::string content) {
  content += '"';
  const ScannedString scanned = ScanString(content.data(), content.data() + content.size());
  if (scanned.fault != nullptr) return scanned.fault;
  return scanned.end == content.data() + content.size() - 1 ? "" : "stopped early";
}

std::string Decode(std::string_view raw) {
  std::string out(raw.size(), '?');
  out.resize(DecodeString(raw, out.data()));
  return out;
}

TEST(TextTest, ScansStringsOfEveryLength) {
  for (size_t length = 0; length < 40; ++length) {
    EXPECT_EQ(FaultOf(std::string(length, 'x')), "") << length;
    for (size_t at = 0; at < length; ++at) {
      std::string text(length, 'x');
      text[at] = '\x1F';
      EXPECT_NE(FaultOf(text), "") << length << " " << at;
      text[at] = '\x7F';
      EXPECT_EQ(FaultOf(text), "") << length << " " << at;
    }
  }
}

TEST(TextTest, WantsTheClosingQuote) {
  const std::string_view text = "abcdefghij";
  EXPECT_STREQ(ScanString(text.data(), text.data() + text.size()).fault, "a string is not closed");
  const std::string_view escaped = "abc\\\"";
  EXPECT_STREQ(ScanString(escaped.data(), escaped.data() + escaped.size()).fault, "a string is not closed");
  EXPECT_NE(ScanString(escaped.data(), escaped.data() + 4).fault, nullptr);
}

TEST(TextTest, RefusesMalformedEscapes) {
  for (const char* text : {"\\x", "\\u", "\\u12", "\\u123g", "\\ud800", "\\ud800x", "\\ud800\\u0041", "\\ud800\\ud800",
                           "\\udc00", "\\U0041", "\\'", "\\u 123"}) {
    EXPECT_NE(FaultOf(text), "") << text;
  }
  EXPECT_NE(FaultOf(std::string("\\\0", 2)), "");
}

TEST(TextTest, FindsTheFirstByteThatIsNotPlain) {
  for (size_t size = 0; size <= 20; ++size) {
    const std::string plain(size, 'x');
    EXPECT_EQ(SkipPlain(plain.data(), plain.data() + size), plain.data() + size) << size;
    for (size_t place = 0; place < size; ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = plain;
        text.back() = '"';
        text[place] = static_cast<char>(byte);
        const bool special = byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
        const size_t expected = special ? place : place + 1 == size ? size : size - 1;
        EXPECT_EQ(SkipPlain(text.data(), text.data() + size) - text.data(), static_cast<ptrdiff_t>(expected))
            << "byte " << byte << " at " << place << " of " << size;
      }
    }
  }
}

TEST(TextTest, DecodesEscapes) {
  EXPECT_EQ(FaultOf("\\\"\\\\\\/\\b\\f\\n\\r\\t"), "");
  EXPECT_EQ(Decode("a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te"), "a\"b\\c/d\b\f\n\r\te");
  EXPECT_EQ(Decode("\\u0041\\u00e9\\u20AC\\ud83d\\uDE00!"), "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80!");
  EXPECT_EQ(Decode("\\u0000x"), std::string("\0x", 2));
  EXPECT_EQ(Decode("plain"), "plain");
  EXPECT_EQ(Decode(""), "");
}

// The edge cases of RFC 3629, section 4.
TEST(TextTest, ChecksUtf8) {
  for (const char* text : {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
                           "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "", "abcdefgh\xC3\xA9"}) {
    EXPECT_EQ(FaultOf(text), "") << text;
  }
  for (const char* text :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xE2\x82", "\xED\xA0\x80",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "abcdefgh\xC3", "\xF0\x9F\x98"}) {
    EXPECT_NE(FaultOf(text), "") << text;
  }
}

TEST(TextTest, ScansNumbers) {
  const auto length = [](std::string_view text) -> ptrdiff_t {
    const ScannedNumber scanned = ScanNumber(text.data(), text.data() + text.size());
    return scanned.end == nullptr ? -1 : scanned.end - text.data();
  };
  for (const std::string_view text : {"0", "-0", "7", "-12", "0.5", "1.25e10", "1E+5", "1e-5", "0e0", "120"}) {
    EXPECT_EQ(length(text), static_cast<ptrdiff_t>(text.size())) << text;
  }
  for (const std::string_view text : {"", "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+", "1.e5", "00", "e5", "--1"}) {
    EXPECT_EQ(length(text), -1) << text;
  }
  EXPECT_EQ(length("12,3"), 2);
  EXPECT_EQ(length("0x10"), 1);
  const std::string_view fraction = "1.0";
  EXPECT_FALSE(ScanNumber(fraction.data(), fraction.data() + 3).integer);
  EXPECT_TRUE(ScanNumber(fraction.data(), fraction.data() + 1).integer);
}

TEST(TextTest, FindsNonFiniteTokens) {
  const auto length = [](std::string_view text) { return NonFiniteLength(text.data(), text.data() + text.size()); };
  EXPECT_EQ(length("NaN"), 3u);
  EXPECT_EQ(length("Infinity,"), 8u);
  EXPECT_EQ(length("-Infinity"), 9u);
  for (const char* text : {"", "Na", "nan", "-NaN", "inf", "-", "-1"}) EXPECT_EQ(length(text), 0u) << text;
  const auto with_short = [](std::string_view text) {
    return NonFiniteLength(text.data(), text.data() + text.size(), true);
  };
  EXPECT_EQ(length("Inf"), 0u);
  EXPECT_EQ(with_short("Inf,"), 3u);
  EXPECT_EQ(with_short("-Inf"), 4u);
  EXPECT_EQ(with_short("Infinity"), 8u);
  EXPECT_EQ(with_short("inf"), 0u);
}

TEST(TextTest, ShortensLongTokens) {
  EXPECT_EQ(Shorten(std::string(40, '7')), std::string(40, '7'));
  EXPECT_EQ(Shorten(std::string(41, '7')), std::string(37, '7') + "...");
}

TEST(TextTest, DescribesWhatItSees) {
  const auto describe = [](std::string_view text) { return Describe(text.data(), text.data() + text.size()); };
  EXPECT_EQ(describe(""), "the end of the text");
  EXPECT_EQ(describe("\"x"), "a string");
  EXPECT_EQ(describe("-1"), "a number");
  EXPECT_EQ(describe("nul"), "'n'");
  EXPECT_EQ(describe("null"), "null");
  EXPECT_EQ(describe("\xEF\xBB\xBF{}"), "byte 0xEF");
  EXPECT_EQ(describe("}"), "'}'");
}

}  // namespace text_test
}  // namespace inferd::json
