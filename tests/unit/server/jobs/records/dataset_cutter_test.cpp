#include "server/jobs/records/dataset_cutter.hpp"

#include "server/jobs/records/dataset.hpp"

#include <gtest/gtest.h>

namespace plimsoll::jobs {
namespace {

using text::RecordFormat;

constexpr std::string_view kCsv =
    "\xEF\xBB\xBF"
    "id,text\r\n1,plain\r\n2,\"a, \"\"b\"\"\r\nc\"\n\n3,x,y\r4,\xFF\n5,\"open";
constexpr std::string_view kJson =
    "{\"id\":1,\"text\":\"a\\nb\"}\r\n\n[1]\n\"bare\"\n{\"text\":\"c\",\"more\":{\"x\":1}}\n{"
    "\"cut\n";

// One line a record: its place, and what it holds or why it cannot be read.
std::vector<std::string> shown(const std::vector<DatasetChunk>& chunks) {
    std::vector<std::string> lines;
    for (const DatasetChunk& chunk : chunks) {
        EXPECT_EQ(static_cast<std::size_t>(chunk.first_record), lines.size());
        std::int64_t failed = 0;
        const auto take = [&](const text::RecordView& record) {
            failed += record.is_error ? 1 : 0;
            lines.push_back(std::to_string(record.index) + ": " +
                            (record.is_error ? "!" + std::string(record.error_code)
                                             : std::string(record.text)) +
                            " line " + std::to_string(record.line));
            return true;
        };
        EXPECT_TRUE(read_chunk(chunk.content, take));
        EXPECT_EQ(chunk.failed, failed);
    }
    EXPECT_EQ(lines.size(), chunks.empty() ? 0u
                                           : static_cast<std::size_t>(chunks.back().first_record +
                                                                      chunks.back().records));
    return lines;
}

struct Cut {
    std::vector<std::string> records;
    std::vector<std::string> columns;
};

// Fed in two parts; between them the state is stored and another cutter restores it.
Cut cut(RecordFormat format, std::string_view file, std::size_t at) {
    std::vector<DatasetChunk> chunks;
    DatasetCutter first(format);
    EXPECT_TRUE(first.feed(file.substr(0, at), chunks));
    auto second = DatasetCutter::resume(format, first.state());
    if (!second) throw std::runtime_error(second.error().message);
    EXPECT_TRUE(second->feed(file.substr(at), chunks));
    EXPECT_TRUE(second->finish(chunks));
    return {shown(chunks), second->columns()};
}

TEST(DatasetCutter, ItsRecordsDoNotDependOnThePieces) {
    const std::vector<std::string> csv = {"0: 1,plain line 2", "1: 2,\"a, \"\"b\"\"\r\nc\" line 3",
                                          "2: !wrong_field_count line 6", "3: !invalid_utf8 line 7",
                                          "4: !unterminated_quote line 8"};
    for (std::size_t at = 0; at <= kCsv.size(); ++at) {
        const auto got = cut(RecordFormat::csv, kCsv, at);
        EXPECT_EQ(got.records, csv) << at;
        EXPECT_EQ(got.columns, (std::vector<std::string>{"id", "text"}));
    }
    const std::vector<std::string> json = {"0: {\"id\":1,\"text\":\"a\\nb\"} line 1",
                                           "1: !invalid_record line 3", "2: \"bare\" line 4",
                                           "3: {\"text\":\"c\",\"more\":{\"x\":1}} line 5",
                                           "4: !invalid_json line 6"};
    for (std::size_t at = 0; at <= kJson.size(); ++at) {
        const auto got = cut(RecordFormat::json_lines, kJson, at);
        EXPECT_EQ(got.records, json) << at;
        EXPECT_EQ(got.columns, (std::vector<std::string>{"id", "text", "more"}));
    }
}

TEST(DatasetCutter, ChunksEndAtTheirLimitsAndHoldTheLargestRecord) {
    DatasetCutter cutter(RecordFormat::csv);
    std::vector<DatasetChunk> chunks;
    const std::string largest = "\"" + std::string((1 << 20) - 2, 'x') + "\"";
    ASSERT_TRUE(cutter.feed("text\n" + largest + "\n" + largest + "\n", chunks));
    for (std::size_t i = 0; i < 2 * kChunkRecords; ++i) ASSERT_TRUE(cutter.feed("short\n", chunks));
    ASSERT_TRUE(cutter.feed("\"" + std::string(3 << 20, 'y') + "\"\n", chunks));
    EXPECT_LT(cutter.state().size(), 1u << 20);  // an overlong record is not kept
    ASSERT_TRUE(cutter.finish(chunks));
    ASSERT_EQ(shown(chunks).back(), "16386: !too_large line 16388");
    EXPECT_EQ(chunks[0].records, 1);
    EXPECT_EQ(chunks[0].bytes, 1 << 20);
    EXPECT_EQ(chunks[1].records, 1);
    for (const auto& chunk : chunks)
        EXPECT_LE(chunk.records, static_cast<std::int64_t>(kChunkRecords));
}

TEST(DatasetCutter, FilesThatCannotBeUsedAreRefused) {
    const auto whole = [](RecordFormat format, const std::string& file) {
        DatasetCutter cutter(format);
        std::vector<DatasetChunk> chunks;
        if (auto fed = cutter.feed(file, chunks); !fed) return fed.error().message;
        const auto ended = cutter.finish(chunks);
        return ended ? std::string() : ended.error().message;
    };
    EXPECT_EQ(whole(RecordFormat::csv, ""), "The file has no header line.");
    EXPECT_EQ(whole(RecordFormat::csv, "a,b\n"), "The file has no records.");
    EXPECT_EQ(whole(RecordFormat::json_lines, "\n\n"), "The file has no records.");
    std::string records;
    for (int i = 0; i < 1'000'000; ++i) records += "1\n";
    EXPECT_EQ(whole(RecordFormat::csv, "a\n" + records), "");
    EXPECT_NE(whole(RecordFormat::csv, "a\n" + records + "1"), "");
}

TEST(DatasetCutter, ColumnsWithNulAreRefused) {
    const auto refusal = [](RecordFormat format, std::string_view file) {
        DatasetCutter cutter(format);
        std::vector<DatasetChunk> chunks;
        const auto fed = cutter.feed(file, chunks);
        return fed ? std::string() : fed.error().message;
    };
    using namespace std::string_view_literals;
    const std::string said = "The name of the column \"la…\" contains U+0000.";
    EXPECT_EQ(refusal(RecordFormat::csv, "text,la\0bel\ngood,1\n"sv), said);
    EXPECT_EQ(refusal(RecordFormat::json_lines, R"({"text": "good", "la\u0000bel": 1})"
                                                "\n"sv),
              said);
    EXPECT_EQ(refusal(RecordFormat::csv, "text\na\0b\n"sv), "") << "a text may hold it";
}

TEST(DatasetCutter, ADamagedStateIsDetected) {
    DatasetCutter cutter(RecordFormat::csv);
    std::vector<DatasetChunk> chunks;
    ASSERT_TRUE(cutter.feed("text\na\nb", chunks));
    const auto state = cutter.state();
    for (std::size_t length = 0; length < state.size(); ++length)
        EXPECT_FALSE(DatasetCutter::resume(RecordFormat::csv, state.substr(0, length))) << length;
}

TEST(Preview, ShowsCellsByColumnAndCutsThem) {
    using Cells = std::vector<std::optional<std::string>>;
    EXPECT_EQ(preview_cells("1,\"a\"\"b\"", RecordFormat::csv, {"x", "y"}, 10),
              (Cells{"1", "a\"b"}));
    EXPECT_EQ(preview_cells("1,größer", RecordFormat::csv, {"x", "y"}, 3), (Cells{"1", "grö…"}));
    EXPECT_EQ(
        preview_cells("{\"a\":[1,2],\"b\":null}", RecordFormat::json_lines, {"a", "b", "c"}, 9),
        (Cells{"[1,2]", std::nullopt, std::nullopt}));
    EXPECT_EQ(preview_cells("\"bare\"", RecordFormat::json_lines, {"text", "b"}, 9),
              (Cells{"bare", std::nullopt}));
}

}  // namespace
}  // namespace plimsoll::jobs
