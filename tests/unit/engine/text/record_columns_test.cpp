// Which columns and members of a record are read, and what is said of the others.
#include "engine/text/record_layout.hpp"

#include <gtest/gtest.h>

namespace plimsoll::text {
namespace {

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
