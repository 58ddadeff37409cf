#include "engine/text/record_block.hpp"

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

std::string sample() {
    RecordBlockWriter writer(7);
    writer.add({.custom_id = "a", .text = "first", .error = {}});
    writer.add({.custom_id = {}, .text = "", .error = {}});
    writer.add({.custom_id = "", .text = "", .error = RecordError{"too_large", "Too large."}});
    return writer.take();
}

TEST(RecordBlock, RecordsComeBackInOrderWithTheirIndices) {
    const std::string block = sample();
    auto reader = RecordBlockReader::open(block).value();
    EXPECT_EQ(reader.count(), 3u);
    auto record = reader.next().value().value();
    EXPECT_EQ(record.index, 7u);
    EXPECT_EQ(record.custom_id, "a");
    EXPECT_EQ(record.text, "first");
    EXPECT_FALSE(record.is_error);
    record = reader.next().value().value();
    EXPECT_FALSE(record.custom_id);
    EXPECT_EQ(record.text, "");
    record = reader.next().value().value();
    EXPECT_EQ(record.index, 9u);
    EXPECT_EQ(record.custom_id, "");
    EXPECT_TRUE(record.is_error);
    EXPECT_EQ(record.error_code, "too_large");
    EXPECT_EQ(record.error_message, "Too large.");
    EXPECT_FALSE(reader.next().value());
}

TEST(RecordBlock, TakingABlockContinuesTheNumbering) {
    RecordBlockWriter writer(0);
    writer.add({.custom_id = {}, .text = "x", .error = {}});
    writer.take();
    EXPECT_EQ(writer.count(), 0u);
    writer.add({.custom_id = {}, .text = "y", .error = {}});
    const std::string block = writer.take();
    EXPECT_EQ(RecordBlockReader::open(block).value().next().value()->index, 1u);
}

TEST(RecordBlock, EveryCutIsNoticed) {
    const std::string whole = sample();
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string cut = whole.substr(0, size);
        auto reader = RecordBlockReader::open(cut);
        bool damaged = !reader;
        for (int i = 0; reader && i < 4 && !damaged; ++i) damaged = !reader->next();
        EXPECT_TRUE(damaged) << size;
    }
    const std::string longer = whole + "x";
    auto reader = RecordBlockReader::open(longer).value();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(reader.next());
    EXPECT_EQ(reader.next().error().code, Errc::corrupt);
}

}  // namespace
}  // namespace plimsoll::text
