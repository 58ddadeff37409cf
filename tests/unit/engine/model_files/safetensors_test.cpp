#include "engine/model_files/safetensors.hpp"

#include "tests/unit/engine/models/tiny_model.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::model_files {
namespace {

using ::testing::HasSubstr;

Result<TensorFile> read(const std::string& bytes) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "model.safetensors";
    std::ofstream(path, std::ios::binary) << bytes;
    return read_safetensors(path);
}

std::string why(const std::string& header, const std::string& data = std::string(8, '\0')) {
    const auto tensors = read(TinyModel::with_header(header, data));
    if (tensors) return "read";
    EXPECT_EQ(tensors.error().code, Errc::corrupt);
    return tensors.error().message;
}

TEST(Safetensors, GivesTheNumbersOfEveryType) {
    const std::string header =
        R"({"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
        R"("h":{"dtype":"F16","shape":[3],"data_offsets":[8,14]},)"
        R"("b":{"dtype":"BF16","shape":[],"data_offsets":[14,16]},"__metadata__":{"format":"pt"}})";
    const float numbers[] = {1.5F, -2.25F};
    std::string data(reinterpret_cast<const char*>(numbers), sizeof numbers);
    data += std::string("\x00\x3c\x01\x00\xff\xfb", 6);  // 1, 2^-24, -65504
    data += std::string("\x80\xbf", 2);                  // -1
    const auto file = read(TinyModel::with_header(header, data));
    ASSERT_TRUE(file) << file.error().message;
    std::vector<float> read(2);
    ASSERT_TRUE(to_floats("a", file->tensors.at("a"), read));
    EXPECT_EQ(read, (std::vector<float>{1.5F, -2.25F}));
    read.resize(3);
    ASSERT_TRUE(to_floats("h", file->tensors.at("h"), read));
    EXPECT_EQ(read, (std::vector<float>{1.0F, 0x1p-24F, -65504.0F}));
    read.resize(1);
    ASSERT_TRUE(to_floats("b", file->tensors.at("b"), read));
    EXPECT_EQ(read[0], -1.0F);
}

TEST(Safetensors, DamagedFilesAreRefusedWithTheRule) {
    const std::string one = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    EXPECT_EQ(why(one), "read");
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,16]}})"),
                HasSubstr("outside the file"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})"),
                HasSubstr("outside the file"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"),
                HasSubstr("its shape is 3"));
    EXPECT_THAT(
        why(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})"),
        HasSubstr("too large"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})"),
                HasSubstr("needs"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}})"),
                HasSubstr("outside the file"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
                HasSubstr("has data after its last tensor"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"), HasSubstr("gap"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"),
                HasSubstr("overlaps"));
    EXPECT_THAT(why(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
                    R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})"),
                HasSubstr("twice"));
    EXPECT_THAT(why("[]"), HasSubstr("not a JSON object"));
    EXPECT_THAT(why(R"({"a":3})"), HasSubstr("needs"));
    EXPECT_THAT(why(std::string(100'000, '[')), HasSubstr("not a JSON object"));
    for (const auto& bytes : {std::string(), std::string(7, 'x'), std::string(8, '\xff'),
                              std::string("\x10\0\0\0\0\0\0\0{}", 10)}) {
        EXPECT_EQ(read(bytes).error().code, Errc::corrupt);
    }
}

TEST(Safetensors, NanAndInfinityAreRefusedWithTheTensor) {
    for (const float bad :
         {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const Tensor tensor{NumberType::float32, {1}, std::as_bytes(std::span(&bad, 1))};
        std::vector<float> read(1);
        EXPECT_THAT(to_floats("layer.weight", tensor, read).error().message,
                    HasSubstr("\"layer.weight\" contains a NaN or an infinity"));
    }
}

}  // namespace
}  // namespace plimsoll::model_files
