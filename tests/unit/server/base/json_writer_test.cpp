#include "server/base/json_writer.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using nlohmann::json;

TEST(JsonWriter, WritesObjectsAndArraysWithinEachOther) {
    JsonWriter out;
    out.begin_object().key("a").number(1).key("b").begin_array();
    out.number(2).begin_object().end_object().begin_array().end_array().null();
    out.end_array().key("c").begin_object().key("d").text("e").end_object().end_object();
    EXPECT_EQ(out.take(), R"({"a":1,"b":[2,{},[],null],"c":{"d":"e"}})");
}

TEST(JsonWriter, EscapesControlCharactersAndQuotes) {
    std::string every;
    for (char c = 0; c < 0x7f; ++c) every += c;
    every += "ä€😀";
    JsonWriter out;
    out.text(every);
    EXPECT_EQ(json::parse(out.take()).get<std::string>(), every);
}

TEST(JsonWriter, JoinsATextOfTwoParts) {
    JsonWriter out;
    out.text("/v1\"", "\\x");
    EXPECT_EQ(json::parse(out.take()), "/v1\"\\x");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
    for (const double number : {0.0, -0.5, 1e300, 1.0 / 3, 5e-324}) {
        JsonWriter out;
        out.number(number);
        EXPECT_EQ(json::parse(out.take()).get<double>(), number);
    }
    for (const auto number : {std::numeric_limits<std::int64_t>::min(),
                              std::numeric_limits<std::int64_t>::max(), std::int64_t{0}}) {
        JsonWriter out;
        out.number(number);
        EXPECT_EQ(json::parse(out.take()).get<std::int64_t>(), number);
    }
    JsonWriter out;
    out.begin_array().number(std::nan("")).number(HUGE_VAL).end_array();
    EXPECT_EQ(out.take(), "[null,null]");
}

TEST(JsonWriter, InsertsJsonUnchanged) {
    JsonWriter out;
    out.begin_object().key("a").json(R"({"b": [1]})").key("c").json("2").end_object();
    EXPECT_EQ(out.take(), R"({"a":{"b": [1]},"c":2})");
}

}  // namespace
}  // namespace plimsoll
