#include "ctl/npy.h"

#include <gtest/gtest.h>

#include <vector>

#include "data/tensor/bytes.h"

namespace inferd::ctl {
namespace {

using tensor::DataType;

// Returns a file in version 1 of numpy.save's format.
std::string Npy(std::string_view descr, std::string_view shape, std::string_view data,
                std::string_view order = "False") {
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(order) +
                       ", 'shape': " + std::string(shape) + ", }";
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file.append(header).append(data);
}

TEST(NpyTest, ReadsNumbers) {
  const NpyArray array = ParseNpy(Npy("<f4", "(2, 1)", std::string_view("\0\0\x80\x3f\0\0\0\x40", 8))).value();
  EXPECT_EQ(array.datatype, DataType::kFp32);
  EXPECT_EQ(array.shape, (tensor::Shape{2, 1}));
  EXPECT_EQ(array.data.size(), 8u);
  EXPECT_EQ(ParseNpy(Npy("|b1", "(3,)", std::string_view("\0\1\1", 3)))->datatype, DataType::kBool);
  EXPECT_EQ(ParseNpy(Npy("<i8", "()", "12345678"))->shape.rank(), 0u);
  EXPECT_EQ(ParseNpy(Npy("<u2", "(0, 4)", ""))->shape, (tensor::Shape{0, 4}));
}

TEST(NpyTest, StringsBecomeBytes) {
  const auto texts = [](const NpyArray& array) {
    std::vector<std::string> out;
    for (const std::string_view element : tensor::PackedElements(array.data.bytes())) out.emplace_back(element);
    return out;
  };
  EXPECT_EQ(texts(ParseNpy(Npy("|S3", "(2,)", std::string_view("ab\0cde", 6))).value()),
            (std::vector<std::string>{"ab", "cde"}));
  EXPECT_EQ(texts(ParseNpy(Npy("<U2", "(1,)", std::string_view("\xe9\0\0\0\x00\xf6\x01\0", 8))).value()),
            (std::vector<std::string>{"\xc3\xa9\xf0\x9f\x98\x80"}));
}

TEST(NpyTest, RefusesWhatCannotBeSent) {
  const std::string good = Npy("<i4", "(2,)", "12345678");
  for (const std::string& bad :
       {std::string("no"), Npy(">i4", "(2,)", "12345678"), Npy("<i4", "(2,)", "12345678", "True"),
        Npy("|O", "(2,)", ""), Npy("<c8", "(1,)", "12345678"), Npy("<i4", "(3,)", "12345678"),
        Npy("<i4", "(1,)", "12345678"), Npy("<i4", "(-2,)", "12345678"),
        Npy("<i4", "(9223372036854775807, 2)", "12345678"), Npy("<i4", "2", "12345678")}) {
    const auto array = ParseNpy(bad);
    ASSERT_FALSE(array.has_value()) << bad;
    EXPECT_EQ(array.error().code(), base::StatusCode::kInvalidArgument);
  }
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(ParseNpy(good.substr(0, size)).has_value()) << size;
}

}  // namespace
}  // namespace inferd::ctl
