#include "serving/cache/reply_bounds.h"

#include <gtest/gtest.h>

namespace inferd::cache {
namespace {

constexpr size_t kValueBytesMax = 1000;

// Checks the bytes, cut into pieces of this size.
base::Status Taken(std::string_view bytes, size_t piece) {
  ReplyBounds bounds(kValueBytesMax);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    if (const base::Status status = bounds.Take(bytes.substr(0, piece)); !status.ok()) return status;
  }
  return {};
}

TEST(ReplyBoundsTest, WhatARedisAnswersIsTaken) {
  const std::string longest = "$1000\r\n" + std::string(1000, '*') + "\r\n";
  const std::string all = "+OK\r\n-WRONGPASS a\rb\r\n:12\r\n$-1\r\n$0\r\n\r\n$4\r\n\r\n*9\r\n" + longest + "+PONG\r\n";
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{7}, all.size()}) {
    EXPECT_TRUE(Taken(all, piece).ok()) << piece;
  }
}

TEST(ReplyBoundsTest, WhatNoRedisAnswersIsRefused) {
  const std::string endless = "+" + std::string(ReplyBounds::kLineBytesMax, 'x');
  const std::string_view refused[] = {
      "*2147483647\r\n",
      "*1\r\n",
      "*-1\r\n",
      "%3\r\n",
      "~1\r\n",
      ">1\r\n",
      "_\r\n",
      "#t\r\n",
      ",1.5\r\n",
      "(1\r\n",
      "=5\r\ntxt:x\r\n",
      "|1\r\n",
      "what\r\n",
      "\r\n",
      "\n",
      "$2147483647\r\n",
      "$1001\r\n",
      "$-2\r\n",
      "$\r\n",
      "$1x\r\n",
      "$99999999999999999999\r\n",
      "$ 1\r\n",
      "$+1\r\n",
      "+OK\n",
      "$5\n12345\r\n",
      "+a\n*2147483647\r\n",
      "$1\r\nx\r\n*1\r\n",
      endless,
      std::string_view("\0", 1),
      "HTTP/1.1 400 Bad Request\r\n",
      "\x15\x03\x03",
  };
  for (const std::string_view bytes : refused) {
    for (const size_t piece : {size_t{1}, bytes.size()}) {
      EXPECT_EQ(Taken(bytes, piece).code(), base::StatusCode::kUnavailable) << bytes << " by " << piece;
    }
  }
}

}  // namespace
}  // namespace inferd::cache
