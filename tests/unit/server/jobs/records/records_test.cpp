#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"
#include "server/base/json_writer.hpp"
#include "server/jobs/records/json_text.hpp"
#include "server/jobs/records/model_requirement.hpp"
#include "server/jobs/records/results_converter.hpp"
#include "server/jobs/records/slice.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs {
namespace {

std::string cell(const nlohmann::json& value) {
    const std::array<Column, 1> columns{Column{"text"}};
    std::string out;
    append_csv_row(out, columns, {}, {{"text", value}});
    return out;
}

TEST(Csv, QuotesCharactersThatWouldEndTheCell) {
    EXPECT_EQ(cell("calm"), "calm\r\n");
    EXPECT_EQ(cell("a, \"b\"\nc"), "\"a, \"\"b\"\"\nc\"\r\n");
    EXPECT_EQ(cell(nullptr), "\r\n");
    EXPECT_EQ(cell(-1.5), "-1.5\r\n");
}

TEST(Csv, ATextIsNotAFormula) {
    for (const std::string sign :
         {"=", "+", "-", "@", "\t", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
        EXPECT_EQ(cell(sign + "1"), "'" + sign + "1\r\n") << sign;
    }
    EXPECT_EQ(cell("\n=1"), "\"'\n=1\"\r\n");
    EXPECT_EQ(cell("\r=1"), "\"'\r=1\"\r\n");
    EXPECT_EQ(cell("größer"), "größer\r\n");
    // German spreadsheets separate by semicolons.
    EXPECT_EQ(cell("calm;=1+1;@x;-1"), "calm;'=1+1;'@x;'-1\r\n");
    EXPECT_EQ(cell("fine ;-) ; good;"), "fine ;-) ; good;\r\n");
    EXPECT_EQ(cell(""), "\r\n");
}

TEST(Csv, KeptMembersAreColumnsOfTheirOwn) {
    const std::array<Column, 3> columns{Column{"text"}, Column{"kept"}, Column{"error"}};
    const std::vector<std::string> kept = {"region", "=note"};
    std::string out;
    append_csv_header(out, columns, kept);
    append_csv_row(out, columns, kept,
                   {{"text", "a"}, {"kept", {{"=note", "=1"}, {"region", "EU"}}}});
    append_csv_row(out, columns, kept, {{"text", "b"}, {"kept", nullptr}, {"error", "e"}});
    EXPECT_EQ(out, "text,region,'=note,error\r\na,EU,'=1,\r\nb,,,e\r\n");
    out.clear();
    append_csv_header(out, columns);
    append_csv_row(out, columns, {}, {{"text", "a"}, {"kept", {{"x", "y"}}}});
    EXPECT_EQ(out, "text,error\r\na,\r\n");
}

using Names = std::vector<std::string>;

std::string words(const Names& missing, const Names& instead) {
    const auto lack = explain_missing_models(missing, instead);
    return lack ? lack->what + ": " + lack->advice : "";
}

TEST(ModelNeed, ACapabilityMayNameAModel) {
    EXPECT_EQ(model_of_capability("model finbert 0123456789ab"),
              (MissingCapability::Model{"finbert", "0123456789ab", "fp32"}));
    EXPECT_EQ(model_of_capability("measure finbert 0123456789ab int8"),
              (MissingCapability::Model{"finbert", "0123456789ab", "int8"}));
    EXPECT_EQ(model_of_capability("model finbert"), std::nullopt);
    EXPECT_EQ(model_of_capability("fp16"), std::nullopt);
    EXPECT_EQ(model_of_capability(""), std::nullopt);
}

TEST(ModelNeed, AMissingModelIsNamedWithWhatInstallsIt) {
    EXPECT_EQ(
        words({"model finbert 0123456789ab"}, {}),
        "the model finbert: Install the model on a worker's machine: plimsoll model pull finbert, "
        "or model add with its files.");
    EXPECT_EQ(explain_missing_models(Names{"fp16"}, Names{}), std::nullopt);
}

TEST(ModelNeed, OtherFilesOfTheNameAreReported) {
    EXPECT_NE(words({"model finbert 0123456789ab"}, {"model finbert ffffffffffff"})
                  .find("the job needs the files with the hash 0123456789ab. Install the model"),
              std::string::npos);
}

TEST(ModelNeed, AMissingFormIsToBeProven) {
    EXPECT_EQ(words({"model finbert 0123456789ab int8", "fp16", "model tiny aaaaaaaaaaaa"},
                    {"model finbert 0123456789ab"}),
              "the models finbert in int8 and tiny: Idle workers will prove the form; to prove it "
              "now, run `plimsoll-engine prove finbert` on their machine.");
}

std::string chunk_of(int records) {
    text::RecordBlockWriter writer(1000);
    for (int i = 0; i < records; ++i) {
        text::Record record;
        record.line = static_cast<std::uint64_t>(5 + i * (i % 3 == 0 ? 1 : 2));
        if (i % 4 == 0) record.custom_id = "id " + std::to_string(i);
        if (i % 7 == 3)
            record.error = text::RecordError{"bad_record", "Record " + std::to_string(i)};
        else
            record.text = "text\nof " + std::to_string(i);
        writer.add(record);
    }
    return gzip(writer.take());
}

// Everything that a task can tell of its records.
std::vector<std::string> told(const std::string& chunk) {
    const auto block = gunzip(chunk, 1 << 20).value();
    auto reader = text::RecordBlockReader::open(block).value();
    std::vector<std::string> all;
    for (auto record = reader.next().value(); record; record = reader.next().value()) {
        all.push_back(std::to_string(record->index) + " " + std::to_string(record->line) + " " +
                      std::string(record->custom_id.value_or("-")) + " " +
                      std::string(record->text) + std::string(record->error_code) +
                      std::string(record->error_message));
    }
    EXPECT_EQ(reader.count(), all.size());
    return all;
}

TEST(Slice, SlicesTogetherAreTheChunk) {
    for (const int records : {1, 2, 9, 100}) {
        const auto chunk = chunk_of(records);
        for (const int count : {1, 2, 3, 7, records, records + 3}) {
            std::vector<std::string> all;
            for (int index = 0; index < count; ++index) {
                const auto slice = told(cut_slice(chunk, {index, count}).value());
                // As enqueue_dataset counts them.
                EXPECT_EQ(slice.size(), static_cast<std::size_t>(records * (index + 1) / count -
                                                                 records * index / count));
                all.insert(all.end(), slice.begin(), slice.end());
            }
            EXPECT_EQ(all, told(chunk));
        }
    }
}

TEST(Slice, SeveralAreCutAtOnce) {
    const auto chunk = chunk_of(100);
    for (const std::vector<int>& indices : {std::vector{0, 1, 2, 3, 4, 5, 6}, {2}, {0, 3, 6}, {}}) {
        const auto slices = cut_slices(chunk, indices, 7).value();
        ASSERT_EQ(slices.size(), indices.size());
        for (std::size_t i = 0; i < indices.size(); ++i)
            EXPECT_EQ(told(slices[i]), told(cut_slice(chunk, {indices[i], 7}).value()));
    }
}

TEST(Slice, DamagedChunksAreErrors) {
    EXPECT_EQ(cut_slices("noise", std::vector{0}, 2).error().code, Errc::corrupt);
    EXPECT_EQ(cut_slice("noise", {0, 2}).error().code, Errc::corrupt);
    EXPECT_EQ(cut_slice(gzip("noise"), {0, 2}).error().code, Errc::corrupt);
}

constexpr std::array kColumns = {Column{"index"}, Column{"custom_id"}, Column{"score"}};

std::string convert(ResultsFormat format, std::initializer_list<std::string_view> pieces) {
    const ResultsConverter converter(format, kColumns);
    std::string out;
    converter.begin(out);
    bool first = true;
    for (const auto piece : pieces)
        EXPECT_TRUE(converter.rows(piece, std::exchange(first, false), out));
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
