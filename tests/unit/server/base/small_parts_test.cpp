#include "server/base/addresses.hpp"
#include "server/base/hex.hpp"
#include "server/base/id.hpp"
#include "server/base/json_writer.hpp"
#include "server/base/text_table.hpp"
#include "server/base/time.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll {
namespace {

using namespace std::string_view_literals;

TEST(Hex, HasTwoDigitsPerByte) {
    EXPECT_EQ(hex(""), "");
    EXPECT_EQ(hex("\0\x0f\xa0\xff"sv), "000fa0ff");
}

TEST(PublicId, RoundTripsEveryPositiveNumber) {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{31}, std::int64_t{32},
          std::int64_t{20'000} << 40, std::numeric_limits<std::int64_t>::max()}) {
        const auto text = public_id("job", value);
        EXPECT_EQ(text.size(), 17U);
        EXPECT_EQ(parse_public_id("job", text), value) << text;
    }
}

TEST(PublicId, KeepsTheOrderOfTheNumbers) {
    EXPECT_LT(public_id("job", 31), public_id("job", 32));
    EXPECT_LT(public_id("job", 1023), public_id("job", std::int64_t{1} << 40));
}

TEST(PublicId, RefusesInvalidIds) {
    const auto good = public_id("job", 77);
    EXPECT_FALSE(parse_public_id("team", good));
    EXPECT_FALSE(parse_public_id("job", good.substr(1)));
    EXPECT_FALSE(parse_public_id("job", good + "0"));
    EXPECT_FALSE(parse_public_id("job", "job_000000000000u"));  // u is no digit
    EXPECT_FALSE(parse_public_id("job", "job_000000000000O"));  // nor are capitals
    EXPECT_FALSE(parse_public_id("job", "job_8000000000000"));  // above 2^63 - 1
    EXPECT_FALSE(parse_public_id("job", ""));
}

using namespace std::chrono;

TEST(Rfc3339, WritesUtcWithMilliseconds) {
    const Timestamp time = sys_days(2024y / February / 29) + hours(23) + minutes(59) + seconds(7) +
                           microseconds(89'999);
    EXPECT_EQ(to_rfc3339(time), "2024-02-29T23:59:07.089Z");
    EXPECT_EQ(to_rfc3339(Timestamp{}), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(to_rfc3339(Timestamp{} - microseconds(1)), "1969-12-31T23:59:59.999Z");
}

TEST(Networks, ContainTheirAddresses) {
    const auto networks = Networks::parse(" 10.1.2.0/24,fd00::/8, 192.0.2.7 ,, ::1").value();
    const auto has = [&](const char* address) {
        return networks.contain(boost::asio::ip::make_address(address));
    };
    for (const auto* inside :
         {"10.1.2.0", "10.1.2.255", "::ffff:10.1.2.3", "fd12::1", "192.0.2.7", "::1"}) {
        EXPECT_TRUE(has(inside)) << inside;
    }
    for (const auto* outside : {"10.1.3.0", "192.0.2.8", "fe80::1", "::2", "127.0.0.1"})
        EXPECT_FALSE(has(outside)) << outside;
    EXPECT_TRUE(Networks::parse(" , ").value().empty());
}

TEST(Networks, InvalidEntriesAreNamed) {
    for (const std::string wrong :
         {"10.0.0.0/33", "10.0.0.300", "::1/129", "localhost", "10.0.0.0/"}) {
        const auto parsed = Networks::parse("10.0.0.0/8, " + wrong);
        ASSERT_FALSE(parsed) << wrong;
        EXPECT_EQ(parsed.error().message,
                  "must list networks or addresses like 10.1.2.0/24, not " + wrong);
    }
}

TEST(ParseUrl, TakesAbsoluteUrls) {
    for (const auto* text : {"http://example.com", "https://user:word@example.com:8443/a?b#c",
                             "http://127.0.0.1:7272", "http://[::1]/x", "http://a.b?x"}) {
        EXPECT_TRUE(parse_url(text)) << text;
    }
    EXPECT_EQ(std::string(parse_url("http://Example.com:80/x")->host()), "Example.com");
}

TEST(ParseUrl, ReadsHostsThatBeginLikeAnAddressToTheirEnd) {
    for (const std::string host :
         {"127.0.0.1.example.com", "10.0.0.1evil", "1.2.3.4.5", "4.example"})
        for (const std::string user : {"", "user:word@"}) {
            const auto url = parse_url("http://" + user + host + ":8080/x?y");
            ASSERT_TRUE(url) << host;
            EXPECT_EQ(std::string(url->host()), host);
            EXPECT_EQ(std::string(url->host_address()), host);
            EXPECT_EQ(url->port_number(), 8080);
            EXPECT_EQ(std::string(url->encoded_path()), "/x");
        }
}

TEST(ParseUrl, RefusesWhatHasNoHost) {
    for (const auto* text : {"example.com", "/path", "mailto:a@b", "h:[", ""})
        EXPECT_FALSE(parse_url(text)) << text;
}

TEST(ParseUrl, RefusesEncodedHosts) {
    EXPECT_TRUE(parse_url("http://user:%20@a.b/%0a"));
    for (const auto* text : {"http://a%0a.b", "http://user@a.b%2f:80", "http://[fe80::1%25eth0]/"})
        EXPECT_FALSE(parse_url(text)) << text;
}

TEST(ParseUrl, RefusesBlanksAndControlCharacters) {
    for (const auto* text :
         {"h: \x1d", "http://a.b/ ", "http://a.b/\n", "http://a.b/\x7f", "http://a.b/\xc3\xa4"}) {
        EXPECT_FALSE(parse_url(text)) << text;
    }
}

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

using ::testing::ElementsAre;

const std::vector<std::vector<std::string>> kRows = {
    {"ID", "REASON", "STATE"},
    {"job_0123456789", "no device of this class is connected just now", "queued"},
    {"job_9876543210", "–", "running"}};

TEST(TextTable, IsAsWideAsNeededIfThereIsRoom) {
    EXPECT_EQ(table_text(kRows, 0),
              "ID              REASON                                         STATE\n"
              "job_0123456789  no device of this class is connected just now  queued\n"
              "job_9876543210  –                                              running\n");
}

TEST(TextTable, BreaksItsWidestCellsBetweenWords) {
    EXPECT_EQ(table_text(kRows, 50),
              "ID              REASON                     STATE\n"
              "job_0123456789  no device of this class    queued\n"
              "                is connected just now\n"
              "job_9876543210  –                          running\n");
}

TEST(TextTable, BecomesAListIfColumnsDoNotFit) {
    EXPECT_EQ(table_text(kRows, 30),
              "ID      job_0123456789\n"
              "REASON  no device of this\n"
              "        class is connected\n"
              "        just now\n"
              "STATE   queued\n"
              "\n"
              "ID      job_9876543210\n"
              "REASON  –\n"
              "STATE   running\n");
}

TEST(TextTable, KeepsRowsOnOneLineWithoutItsLeastImportantColumns) {
    EXPECT_EQ(table_text(one_line_rows(kRows, 40, {"STATE", "none"}), 40),
              "ID              REASON\n"
              "job_0123456789  no device of this class…\n"
              "job_9876543210  –\n");
    EXPECT_EQ(one_line_rows(kRows, 80, {"STATE"}), kRows);
}

TEST(TextTable, LosesNoWordAndKeepsItsWidth) {
    for (std::size_t width = 24; width < 90; ++width) {
        const auto text = table_text(kRows, width);
        for (const auto* word : {"job_0123456789", "connected", "running", "–"})
            EXPECT_NE(text.find(word), std::string::npos) << width;
        std::size_t from = 0;
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
            EXPECT_LE(text_columns(text.substr(from, end - from)), width) << text;
            from = end + 1;
        }
    }
}

TEST(Wrapped, PutsALongWordOnItsOwnLine) {
    EXPECT_THAT(wrapped("a incomprehensible b", 5), ElementsAre("a", "incomprehensible", "b"));
    EXPECT_THAT(wrapped("", 5), ElementsAre(""));
    EXPECT_THAT(wrapped("a b", 0), ElementsAre("a b"));
}

}  // namespace

}  // namespace plimsoll
