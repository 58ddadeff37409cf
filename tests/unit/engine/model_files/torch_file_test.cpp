// Files as torch.save writes them, put together byte by byte.
#include "engine/model_files/torch_file.hpp"

#include "engine/model_files/pickle.hpp"
#include "tests/unit/engine/temporary_folder.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::model_files::torch_file_test {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string raw(T value) {
    return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string text(const std::string& value) {
    return "X" + raw(static_cast<std::uint32_t>(value.size())) + value;
}
std::string number(std::uint8_t value) { return "K" + raw(value); }
std::string global(const std::string& module, const std::string& name) {
    return "c" + module + "\n" + name + "\n";
}

// OrderedDict([(name, _rebuild_tensor_v2(storage, offset, (2, 2), strides, False, OrderedDict()))])
std::string dictionary(const std::string& name, bool legacy, std::uint8_t offset = 0,
                       std::uint8_t row_stride = 2, const std::string& storage = "FloatStorage") {
    const std::string empty = global("collections", "OrderedDict") + ")R";
    const std::string view = legacy ? "N" : "";
    return "\x80\x02" + empty + "(" + text(name) + global("torch._utils", "_rebuild_tensor_v2") +
           "((" + text("storage") + global("torch", storage) + text("0") + text("cpu") + number(8) +
           view + "tQ" + number(offset) + number(2) + number(2) + "\x86" + number(row_stride) +
           number(1) + "\x86\x89" + empty + "tRu.";
}

struct ZipEntry {
    std::string name;
    std::string content;
    std::uint16_t method = 0;
};

std::string zip(const std::vector<ZipEntry>& entries) {
    std::string file;
    std::string directory;
    for (const auto& [name, content, method] : entries) {
        const auto offset = static_cast<std::uint32_t>(file.size());
        const auto size = static_cast<std::uint32_t>(content.size());
        const std::string common = raw(std::uint16_t{0}) + raw(method) + raw(std::uint32_t{0}) +
                                   raw(std::uint32_t{0}) + raw(size) + raw(size) +
                                   raw(static_cast<std::uint16_t>(name.size()));
        file +=
            "PK\x03\x04" + raw(std::uint16_t{0}) + common + raw(std::uint16_t{0}) + name + content;
        directory += "PK\x01\x02" + raw(std::uint32_t{0}) + common + raw(std::uint16_t{0}) +
                     raw(std::uint16_t{0}) + raw(std::uint16_t{0}) + raw(std::uint16_t{0}) +
                     raw(std::uint32_t{0}) + raw(offset) + name;
    }
    const auto count = static_cast<std::uint16_t>(entries.size());
    const auto begin = static_cast<std::uint32_t>(file.size());
    return file + directory + "PK\x05\x06" + raw(std::uint32_t{0}) + raw(count) + raw(count) +
           raw(static_cast<std::uint32_t>(directory.size())) + raw(begin) + raw(std::uint16_t{0});
}

const std::string kNumbers =
    raw(1.0F) + raw(2.0F) + raw(3.0F) + raw(4.0F) + raw(5.0F) + raw(6.0F) + raw(7.0F) + raw(8.0F);

std::string archive(const std::string& pickle) {
    return zip(
        {{"model/data.pkl", pickle}, {"model/byteorder", "little"}, {"model/data/0", kNumbers}});
}

std::string before_archives(const std::string& pickle) {
    const std::string magic =
        "\x80\x02\x8a\x0a" + std::string("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + ".";
    const std::string protocol = "\x80\x02M\xe9\x03.";
    const std::string machine = "\x80\x02}.";
    const std::string keys = "\x80\x02](" + text("0") + "e.";
    return magic + protocol + machine + pickle + keys + raw(std::int64_t{8}) + kNumbers;
}

Result<TensorFile> read(const std::string& bytes) {
    const TemporaryFolder folder;
    const auto path = folder.path() / "pytorch_model.bin";
    std::ofstream(path, std::ios::binary) << bytes;
    return read_torch(path);
}

std::vector<float> floats(const Tensor& tensor) {
    std::vector<float> numbers(tensor.count());
    EXPECT_TRUE(to_floats("", tensor, numbers));
    return numbers;
}

std::string why(const std::string& bytes) {
    const auto file = read(bytes);
    return file ? "read" : file.error().message;
}

TEST(TorchFile, BothFormatsGiveTheSameNumbers) {
    for (const auto& bytes : {archive(dictionary("layer.weight", false, 3)),
                              before_archives(dictionary("layer.weight", true, 3))}) {
        const auto file = read(bytes);
        ASSERT_TRUE(file) << file.error().message;
        const auto& tensor = file->tensors.at("layer.weight");
        EXPECT_EQ(tensor.shape, (std::vector<std::uint64_t>{2, 2}));
        EXPECT_EQ(floats(tensor), (std::vector<float>{4, 5, 6, 7}));
    }
}

TEST(TorchFile, OnlyTensorsAreAccepted) {
    EXPECT_THAT(why(archive("\x80\x02" + global("os", "system") + text("id") + "\x85R.")),
                HasSubstr("\"os system\", which is not allowed in tensor files"));
    EXPECT_THAT(why(archive("\x80\x04\x8c\x02os\x8c\x06system\x93.")), HasSubstr("\"os system\""));
    EXPECT_THAT(why(archive("\x80\x02}" + text("a") + number(1) + "s.")),
                HasSubstr("\"a\" is not a tensor"));
    EXPECT_THAT(why(archive("\x80\x02" + number(1) + ".")), HasSubstr("not contain a dictionary"));
    EXPECT_THAT(why(archive("\x80\x05.")), HasSubstr("newer than 4"));
    // A class that is made, with its state.
    EXPECT_THAT(why(archive("\x80\x02(i__main__\nX\n.")), HasSubstr("operation 105"));
}

TEST(TorchFile, TensorsLieWithinTheFileAndInOrder) {
    EXPECT_THAT(why(archive(dictionary("w", false, 5))), HasSubstr("outside the file"));
    EXPECT_THAT(why(archive(dictionary("w", false, 0, 1))), HasSubstr("is a view"));
    EXPECT_THAT(why(zip({{"m/data.pkl", dictionary("w", false)}})), HasSubstr("outside the file"));
    EXPECT_EQ(read(archive(dictionary("w", false, 0, 2, "LongStorage")))->tensors.at("w").type,
              NumberType::other);
}

TEST(TorchFile, ArchivesAreValidated) {
    const auto pickle = dictionary("w", false);
    EXPECT_THAT(why(zip({{"m/data.pkl", pickle, 8}})), HasSubstr("compressed"));
    EXPECT_THAT(why(zip({{"m/data.pkl", pickle}, {"m/data.pkl", pickle}})), HasSubstr("twice"));
    EXPECT_THAT(why(zip({{"../data.pkl", pickle}})), HasSubstr("not a valid name within"));
    EXPECT_THAT(why(zip({{"/data.pkl", pickle}})), HasSubstr("not a valid name within"));
    EXPECT_THAT(why(zip({{"m/other", "x"}})), HasSubstr("no data.pkl"));
    EXPECT_THAT(why(zip({{"m/data.pkl", pickle}, {"m/byteorder", "big"}})),
                HasSubstr("big-endian"));
    const auto whole = archive(pickle);
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read(whole.substr(0, size))) << size;
}

TEST(TorchFile, DamageOfAnyByteIsAnErrorOrOtherNumbers) {
    for (const auto& whole :
         {archive(dictionary("w", false)), before_archives(dictionary("w", true))}) {
        const TemporaryFolder folder;
        const auto path = folder.path() / "pytorch_model.bin";
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const char byte : {'\x00', '\xff', '(', 'R', 'h'}) {
                auto damaged = whole;
                damaged[at] = byte;
                std::ofstream(path, std::ios::binary) << damaged;
                const auto file = read_torch(path);
                for (const auto& [name, tensor] :
                     file ? file->tensors : decltype(file->tensors){}) {
                    std::vector<float> numbers(std::min<std::uint64_t>(tensor.count(), 64));
                    static_cast<void>(to_floats(name, tensor, numbers));
                }
            }
        }
    }
}

TEST(Pickle, BombsAreStopped) {
    const auto code = [](const std::string& pickle) {
        const auto read = read_pickle(std::as_bytes(std::span(pickle)), {});
        return read ? std::string("read") : read.error().message;
    };
    EXPECT_THAT(code(std::string(2'000'000, 'N')), HasSubstr("a million values"));
    EXPECT_THAT(code(")q" + std::string("\0", 1) + std::string(100'000, '\x85') + "."), "read");
    std::string again = ")q" + std::string("\0", 1);
    for (int i = 0; i < 1'100'000; ++i) again += std::string("h\0", 2);
    EXPECT_THAT(code(again), HasSubstr("a million values"));
    EXPECT_THAT(code("h\x05"), HasSubstr("unset memo entry"));
    EXPECT_THAT(code("r\xff\xff\xff\x7f"), HasSubstr("stack is empty"));
    EXPECT_THAT(code("t."), HasSubstr("mark is missing"));
    EXPECT_THAT(code("X\xff\xff\xff\xff"), HasSubstr("ends too early"));
    EXPECT_THAT(code(""), HasSubstr("ends too early"));
}

}  // namespace
}  // namespace plimsoll::model_files::torch_file_test
