#include "server/base/json_writer.hpp"
#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/results_converter.hpp"

#include <array>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

constexpr std::array kColumns = {Column{"index"}, Column{"custom_id"}, Column{"score"}};

std::string convert(ResultsFormat format, std::initializer_list<std::string_view> pieces) {
    const ResultsConverter converter(format, kColumns);
    std::string out;
    converter.begin(out);
    bool first = true;
    for (const auto piece : pieces) {
        EXPECT_TRUE(converter.rows(piece, std::exchange(first, false), out));
    }
    converter.end(out);
    return out;
}

TEST(ResultsConverter, TogetherAndRowByRowGiveTheSame) {
    const std::string rows =
        "{\"index\":0,\"custom_id\":\"a,b\",\"score\":-0.5}\n"
        "{\"index\":1,\"custom_id\":null,\"score\":null}\n";
    const std::string csv = "index,custom_id,score\r\n0,\"a,b\",-0.5\r\n1,,\r\n";
    const std::string json =
        "[{\"index\":0,\"custom_id\":\"a,b\",\"score\":-0.5},"
        "{\"index\":1,\"custom_id\":null,\"score\":null}]";
    const auto second = std::string_view(rows).substr(rows.find('\n') + 1);
    const auto first = std::string_view(rows).substr(0, rows.size() - second.size());
    EXPECT_EQ(convert(ResultsFormat::csv, {rows}), csv);
    EXPECT_EQ(convert(ResultsFormat::csv, {first, second}), csv);
    EXPECT_EQ(convert(ResultsFormat::json, {rows}), json);
    EXPECT_EQ(convert(ResultsFormat::json, {first, second}), json);
    EXPECT_EQ(convert(ResultsFormat::jsonl, {rows}), rows);
    EXPECT_EQ(convert(ResultsFormat::jsonl, {first, second}), rows);
}

TEST(ResultsConverter, NoRowsGiveAnEmptyArrayAndABareHeader) {
    EXPECT_EQ(convert(ResultsFormat::json, {}), "[]");
    EXPECT_EQ(convert(ResultsFormat::csv, {}), "index,custom_id,score\r\n");
    EXPECT_EQ(convert(ResultsFormat::jsonl, {}), "");
}

TEST(ResultsConverter, TextsThatASpreadsheetWouldRunAreEscapedButNumbersStay) {
    for (const std::string start : {"=", "+", "-", "@", "\t"}) {
        const nlohmann::json row = {{"index", 0}, {"custom_id", start + "1"}, {"score", -1}};
        const std::string csv = convert(ResultsFormat::csv, {row.dump() + "\n"});
        EXPECT_EQ(csv, "index,custom_id,score\r\n0,'" + start + "1,-1\r\n");
    }
    const nlohmann::json row = {{"index", 0}, {"custom_id", "say \"hi\"\nnow"}, {"score", 1}};
    EXPECT_EQ(convert(ResultsFormat::csv, {row.dump() + "\n"}),
              "index,custom_id,score\r\n0,\"say \"\"hi\"\"\nnow\",1\r\n");
}

TEST(ResultsConverter, ADamagedRowIsAnError) {
    ResultsConverter converter(ResultsFormat::csv, kColumns);
    std::string out;
    EXPECT_EQ(converter.rows("{\"index\":\n", true, out).error().code, Errc::corrupt);
}

TEST(JsonText, StringsParseBackToThemselves) {
    std::string all;
    for (int byte = 0; byte < 128; ++byte) all.push_back(static_cast<char>(byte));
    all += "é😀";
    std::string out;
    append_json_string(out, all);
    EXPECT_EQ(nlohmann::json::parse(out).get<std::string>(), all);
}

TEST(JsonText, DecimalsAreExactAndShort) {
    const auto text = [](std::int64_t units, int decimals) {
        std::string out;
        append_decimal(out, units, decimals);
        return out;
    };
    EXPECT_EQ(text(-3405, 4), "-0.3405");
    EXPECT_EQ(text(5, 4), "0.0005");
    EXPECT_EQ(text(10000, 4), "1");
    EXPECT_EQ(text(0, 3), "0");
    EXPECT_EQ(text(12, 0), "12");
    EXPECT_EQ(text(500, 3), "0.5");
}

}  // namespace
}  // namespace plimsoll::jobs
