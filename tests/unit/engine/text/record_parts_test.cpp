#include "engine/text/record_block.hpp"
#include "engine/text/record_layout.hpp"

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

TEST(RecordBlock, RecordsAreReadBackInOrderWithTheirIndices) {
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

std::vector<std::uint64_t> lines_of(const std::string& block) {
    std::vector<std::uint64_t> lines;
    auto reader = RecordBlockReader::open(block).value();
    while (const auto record = reader.next().value()) lines.push_back(record->line);
    return lines;
}

TEST(RecordBlock, RecordsOfAFileKnowTheirLines) {
    const std::vector<Record> records = {
        {.custom_id = {}, .text = "one", .error = {}, .line = 2},
        {.custom_id = {}, .text = "two\nthree", .error = {}, .line = 3},
        {.custom_id = {}, .text = "five", .error = {}, .line = 5},
        {.custom_id = {}, .text = "after blank lines", .error = {}, .line = 9},
        {.custom_id = {}, .text = "", .error = RecordError{"too_large", "Too large."}, .line = 10},
        {.custom_id = {}, .text = "twelve", .error = {}, .line = 12},
        {.custom_id = {}, .text = "thirteen", .error = {}, .line = 13}};
    for (std::size_t put_away = 0; put_away <= records.size(); ++put_away) {
        RecordBlockWriter writer(0);
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (i == put_away) {
                std::string state;
                writer.save(state);
                writer = RecordBlockWriter(0);
                std::string_view rest = state;
                ASSERT_TRUE(writer.load(rest));
            }
            writer.add(records[i]);
        }
        EXPECT_EQ(lines_of(writer.take()), (std::vector<std::uint64_t>{2, 3, 5, 9, 10, 12, 13}));
        writer.add(records.back());
        EXPECT_EQ(lines_of(writer.take()), std::vector<std::uint64_t>{13}) << "the next block";
    }
}

TEST(RecordBlock, RecordsOfNoFileHaveNoLine) {
    EXPECT_EQ(lines_of(sample()), (std::vector<std::uint64_t>{0, 0, 0}));
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

TEST(RecordBlock, EveryTruncationIsDetected) {
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

// Which columns and members of a record are read, and what is said of the others.

const std::vector<std::string> kHeader = {"text", "where", "region", "note"};

RecordLayout layout(RecordFormat format, std::vector<std::string> keep) {
    RecordColumns columns{.text = "text", .custom_id = {}, .keep = std::move(keep)};
    columns.attributes[Attribute::group] = "region";
    columns.attributes[Attribute::source] = "where";
    return find_columns(format, kHeader, columns).value();
}

TEST(RecordColumns, KeptCellsAreAnObjectInTheOrderOfTheFile) {
    const auto record = parse_record("good,wire,EU,\"a \"\"b\"\"\"",
                                     layout(RecordFormat::csv, {"note", "where"}), {});
    EXPECT_EQ(record.attributes[Attribute::kept], R"({"where":"wire","note":"a \"b\""})");
    EXPECT_EQ(record.attributes[Attribute::group], "EU");
    EXPECT_EQ(record.attributes[Attribute::source], "wire");
}

TEST(RecordColumns, KeptMembersBecomeStrings) {
    const auto keep = layout(RecordFormat::json_lines, {"note", "where", "absent"});
    const auto record =
        parse_record(R"({"text": "good", "region": 7, "note": 1.5, "where": "x"})", keep, {});
    ASSERT_FALSE(record.error);
    EXPECT_EQ(record.attributes[Attribute::kept], R"({"note":"1.5","where":"x"})");
    EXPECT_EQ(record.attributes[Attribute::group], "7");
    const auto nested = parse_record(R"({"text": "good", "note": [1]})", keep, {});
    EXPECT_EQ(nested.error->message, "The member \"note\" is an array or an object.");
    EXPECT_FALSE(nested.attributes[Attribute::kept]);
}

TEST(RecordColumns, OnlyRequestedColumnsAreKept) {
    EXPECT_FALSE(parse_record("good,wire,EU,n", layout(RecordFormat::csv, {}), {})
                     .attributes[Attribute::kept]);
}

TEST(RecordColumns, AMissingColumnIsNamed) {
    RecordColumns columns{.text = "text", .custom_id = {}, .keep = {"region", "zone"}};
    const auto missing = find_columns(RecordFormat::csv, kHeader, columns);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Errc::not_found);
    EXPECT_EQ(missing.error().where, "keep");
    EXPECT_TRUE(missing.error().message.starts_with("There is no column \"zone\""));
}

TEST(RecordColumns, AColumnIsKeptOnce) {
    RecordColumns columns{.text = "text", .custom_id = {}, .keep = {"region", "region"}};
    EXPECT_EQ(find_columns(RecordFormat::csv, kHeader, columns).error().where, "keep");
}

TEST(RecordColumns, LimitsApplyPerItem) {
    const auto keep = layout(RecordFormat::csv, {"note"});
    const auto rule = [&](const std::string& raw) {
        const auto record = parse_record(raw, keep, {});
        return record.error ? record.error->message : "";
    };
    EXPECT_EQ(rule("good,wire,EU," + std::string(4000, 'x')), "");
    EXPECT_EQ(rule("good,wire,EU," + std::string(4096, 'x')),
              "The kept columns have more than 4096 bytes.");
    EXPECT_EQ(rule("good,wire," + std::string(65, 'x') + ",n"),
              "The group has more than 64 characters.");
    EXPECT_EQ(rule("good,wire,EU,\xFF"), "The column \"note\" is not UTF-8.");
}

}  // namespace

}  // namespace plimsoll::text
