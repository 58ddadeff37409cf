#include "engine/waves/series/price_reader.hpp"

#include "engine/waves/series/series.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<SymbolPrices> csv(std::string_view text) {
    auto read = read_prices(text, PriceFormat::csv, {.symbol = "file"});
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return std::move(*read);
}

std::vector<SymbolPrices> json_lines(std::string_view text) {
    auto read = read_prices(text, PriceFormat::json_lines, {.symbol = "file"});
    EXPECT_TRUE(read.has_value()) << read.error().message;
    return std::move(*read);
}

// The error of the only symbol of a table with these rows below a first good one.
RowError error_of(const std::string& rows) {
    const auto read = csv("date,open,high,low,close\n2024-01-02,10,11,9,10\n" + rows);
    EXPECT_EQ(read.size(), 1u);
    EXPECT_FALSE(read.front().ok()) << rows;
    return read.front().ok() ? RowError{} : read.front().errors.front();
}

TEST(PriceReader, ReadsOneSymbolWithDates) {
    const auto read =
        csv("Date,Open,High,Low,Close,Volume\r\n2024-01-02,10,12,9,11,5\r\n"
            "2024-01-03,11,13,10.5,12.25,7\r\n");
    ASSERT_EQ(read.size(), 1u);
    const Series& series = read.front().series;
    EXPECT_EQ(series.symbol, "file");
    EXPECT_FALSE(series.close_only);
    EXPECT_THAT(series.high, ElementsAre(12, 13));
    EXPECT_THAT(series.close, ElementsAre(11, 12.25));
    EXPECT_EQ(format_timestamp(series.time[1]), "2024-01-03");
}

TEST(PriceReader, ReadsManySymbolsWhoseRowsAreMixed) {
    const auto read = csv("symbol;close\nB;1\nA;2\nB;3\n\nA;4\n");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[0].series.symbol, "B");
    EXPECT_THAT(read[0].series.close, ElementsAre(1, 3));
    EXPECT_THAT(read[1].series.low, ElementsAre(2, 4));
    EXPECT_TRUE(read[0].series.close_only);
}

TEST(PriceReader, ReadsQuotes) {
    const auto read = csv("symbol,close\n\"A,\"\"1\"\"\",\"2.5\"\n");
    EXPECT_EQ(read.front().series.symbol, "A,\"1\"");
    EXPECT_THAT(read.front().series.close, ElementsAre(2.5));
}

TEST(PriceReader, ReadsJsonLinesByBarAndBySymbol) {
    const auto bars = json_lines(R"({"symbol":"A","date":"2024-01-02","high":3,"low":1,"close":2}
{"symbol":"A","date":"2024-01-03","high":4,"low":2,"close":"3.5"})");
    EXPECT_THAT(bars.front().series.close, ElementsAre(2, 3.5));
    const auto whole = json_lines(
        R"({"symbol":"A","date":["2024-01-02","2024-01-03"],"close":[2,3]}
{"symbol":"B","close":[5,6,7]})");
    ASSERT_EQ(whole.size(), 2u);
    EXPECT_EQ(whole[0].series.time.size(), 2u);
    EXPECT_THAT(whole[1].series.close, ElementsAre(5, 6, 7));
    const auto list = json_lines(R"([ {"date":"2024-01-02","close":2},
 {"date":"2024-01-03","close":3} ])");
    EXPECT_THAT(list.front().series.close, ElementsAre(2, 3));
}

TEST(PriceReader, NamesTheRowAndTheRuleItBreaks) {
    for (const auto& [rows, words] : std::vector<std::pair<std::string, std::string>>{
             {"2024-01-03,10,8,9,8.5\n", "high is below its low"},
             {"2024-01-03,10,11,0,10\n", "zero or negative"},
             {"2024-01-03,10,11,-1,10\n", "zero or negative"},
             {"2024-01-03,10,11,9,nan\n", "no close"},
             {"2024-01-03,10,inf,9,10\n", "not a price"},
             {"2024-01-03,10,11,9,\n", "no close"},
             {"2024-01-03,10,,9,10\n", "one of high and low"},
             {"2024-01-02,10,11,9,10\n", "occurs twice"},
             {"2024-02-30,10,11,9,10\n", "not an ISO 8601 date"},
             {"2024-01-03,10,11,9\n", "4 fields"},
             {"2024-01-03,10,11,9,\"10\n", "not closed"}}) {
        const RowError error = error_of(rows);
        EXPECT_EQ(error.line, 3u) << rows;
        EXPECT_THAT(error.message, HasSubstr(words));
    }
}

TEST(PriceReader, NamesTheRowThatBreaksTheOrder) {
    const auto rising = csv("date,close\n2024-01-02,1\n2024-01-03,1\n2024-01-01,1\n");
    EXPECT_EQ(rising.front().errors.front().line, 4u);
    EXPECT_THAT(rising.front().errors.front().message, HasSubstr("before that of the row above"));
    const auto falling = csv("date,close\n2024-01-03,1\n2024-01-02,1\n2024-01-04,1\n");
    EXPECT_THAT(falling.front().errors.front().message, HasSubstr("after that of the row above"));
}

TEST(PriceReader, QuotesAValueOfJsonOnce) {
    for (const char* close : {R"("x")", "true"}) {
        const auto read =
            json_lines(R"({"close":)" + std::string(close) + "}\n" + R"({"close":2})");
        ASSERT_FALSE(read.front().errors.empty()) << close;
        EXPECT_THAT(read.front().errors.front().message,
                    HasSubstr(close[0] == '"' ? "the close \"x\" is" : "the close \"true\" is"));
    }
}

TEST(PriceReader, OneBrokenSymbolLeavesTheOthersWhole) {
    const auto read = csv("symbol,close\nA,1\nB,0\nA,2\n");
    EXPECT_TRUE(read[0].ok());
    EXPECT_FALSE(read[1].ok());
}

TEST(PriceReader, KeepsTheFirstErrorsAndCountsAll) {
    std::string rows = "close\n";
    for (int i = 0; i < 100; ++i) rows += "x\n";
    const auto read = csv(rows);
    EXPECT_EQ(read.front().errors.size(), kKeptErrors);
    EXPECT_EQ(read.front().error_count, 100u);
}

TEST(PriceReader, RefusesFilesWithoutPrices) {
    for (const char* text : {"", "\n\n", "date,open\n2024-01-02,1\n", "close\n"})
        EXPECT_FALSE(read_prices(text, PriceFormat::csv, {}).has_value()) << text;
    EXPECT_FALSE(read_prices("close\n1\n", PriceFormat::csv, {.close_column = "last"}).has_value());
}

TEST(PriceReader, FlagsGapsSplitsAndPricesOutsideTheirBar) {
    const auto read =
        csv("date,open,high,low,close\n2024-01-02,10,11,9,10\n2024-01-03,10,11,9,10\n"
            "2024-01-04,5,5.5,4.5,5\n2024-01-05,5,5.5,4.5,6\n2024-03-05,5,6,4,5\n");
    const SeriesFlags& flags = read.front().flags;
    EXPECT_THAT(flags.splits, ElementsAre(2u));
    EXPECT_EQ(flags.gaps, 1u);
    EXPECT_EQ(flags.longest_gap, 60 * 86400);
    EXPECT_EQ(flags.outside, 1u);
}

// The only time that a text names.
std::optional<std::int64_t> seconds_of(std::string_view text, const Zone& zone = {}) {
    const auto read = read_timestamp(text, zone);
    if (!read) return {};
    EXPECT_FALSE(read->again) << text;
    return read->seconds;
}

std::string why_not(std::string_view text, const Zone& zone = {}) {
    const auto read = read_timestamp(text, zone);
    return read ? "it can be read" : read.error().message;
}

TEST(Timestamps, ReadsOffsets) {
    const auto noon = seconds_of("2024-03-01T12:00:00Z");
    ASSERT_TRUE(noon);
    EXPECT_EQ(seconds_of("2024-03-01 14:00+02:00"), noon);
    EXPECT_EQ(seconds_of("2024-03-01T07:00:00.25-0500"), noon);
    EXPECT_EQ(seconds_of("2024-03-01 13:00", Zone::named("+01").value()), noon);
    EXPECT_EQ(seconds_of(std::to_string(*noon)), noon);
    EXPECT_EQ(seconds_of(std::to_string(*noon * 1000)), noon);
    EXPECT_EQ(format_timestamp(*noon), "2024-03-01T12:00:00Z");
    EXPECT_EQ(seconds_of("2024-03-01"), seconds_of("2024-03-01T00:00Z"));
    for (const char* wrong : {"2024-13-01", "2023-02-29", "2024-03-01T25:00", "yesterday",
                              "2024-03-01T12:00+2", "2024-03-01T12:00+15", "2024-03-01x", ""})
        EXPECT_FALSE(seconds_of(wrong)) << wrong;
}

TEST(Timestamps, ReadsPlacesWithTheirSummerTime) {
    const auto winter = seconds_of("2024-03-30T11:00Z");
    const auto summer = seconds_of("2024-03-31T10:00Z");
    const Zone berlin = Zone::named("Europe/Berlin").value();
    EXPECT_EQ(seconds_of("2024-03-30 12:00", berlin), winter);
    EXPECT_EQ(seconds_of("2024-03-31 12:00", berlin), summer);
    EXPECT_EQ(seconds_of("2024-03-30 12:00 Europe/Berlin"), winter);
    EXPECT_EQ(seconds_of("2024-03-31T12:00[Europe/Berlin]"), summer);
    EXPECT_EQ(seconds_of("2024-03-31T12:00+02:00[Europe/Berlin]"), summer);
    EXPECT_EQ(seconds_of("2024-03-31 06:00 America/New_York", berlin), summer);
    // A day is a day everywhere.
    EXPECT_EQ(seconds_of("2024-03-31", berlin), seconds_of("2024-03-31"));
}

TEST(Timestamps, AreFormattedInTheLocalTimeOfAZone) {
    const Zone berlin = Zone::named("Europe/Berlin").value();
    EXPECT_EQ(format_timestamp(*seconds_of("2024-03-30T11:00Z"), berlin),
              "2024-03-30T12:00:00+01:00");
    EXPECT_EQ(format_timestamp(*seconds_of("2024-03-31T10:00Z"), berlin),
              "2024-03-31T12:00:00+02:00");
    EXPECT_EQ(format_timestamp(*seconds_of("2024-03-31T22:00Z"), berlin), "2024-04-01");
    EXPECT_EQ(format_timestamp(*seconds_of("1969-12-31T20:00Z"), Zone::named("-03:30").value()),
              "1969-12-31T16:30:00-03:30");
    for (const char* name : {"UTC", "Europe/Berlin", "+02:00", "-03:30", "-00:30"})
        EXPECT_EQ(Zone::named(name).value().name(), name);
}

TEST(PriceReader, ConvertsTimesToTheZoneAndLeavesDatesAlone) {
    const Zone tokyo = Zone::named("Asia/Tokyo").value();
    const auto first = [&](const std::string& rows) {
        const auto read = read_prices("date,close\n" + rows, PriceFormat::csv, {.zone = tokyo});
        const Series& series = read->front().series;
        return std::pair(format_timestamp(series.time.front(), series.zone),
                         series.has_times_of_day());
    };
    using Told = std::pair<std::string, bool>;
    EXPECT_EQ(first("2024-03-01 09:00,1\n2024-03-01 10:00,1\n"),
              Told("2024-03-01T09:00:00+09:00", true));
    EXPECT_EQ(first("2024-03-01,1\n2024-03-02,1\n"), Told("2024-03-01", false));
    // Days that begin at midnight there.
    EXPECT_EQ(first("2024-03-01 00:00,1\n2024-03-02 00:00,1\n"), Told("2024-03-01", false));
    const auto wrong = read_prices(
        "date,close\n2024-03-01 09:00,1\n2024-03-01 09:30,1\n"
        "2024-03-01 08:30,2\n",
        PriceFormat::csv, {.zone = tokyo});
    EXPECT_THAT(wrong->front().errors.front().message, HasSubstr("2024-03-01T08:30:00+09:00"));
}

TEST(PriceReader, KeepsTimesInTheZoneThatTheFileNames) {
    const auto told = [](const std::string& rows, const PriceReading& reading = {}) {
        const auto read = read_prices("date,close\n" + rows, PriceFormat::csv, reading);
        const Series& series = read->front().series;
        return format_timestamp(series.time.front(), series.zone);
    };
    const std::string place = "2024-03-01 09:00 Asia/Tokyo,1\n2024-03-01 10:00 Asia/Tokyo,1\n";
    EXPECT_EQ(told(place), "2024-03-01T09:00:00+09:00");
    EXPECT_EQ(told(place, {.zone = Zone::named("-05:00").value()}), "2024-02-29T19:00:00-05:00");
    EXPECT_EQ(told("2024-03-01T09:00+02:00,1\n2024-03-01T10:00+02:00,1\n"),
              "2024-03-01T09:00:00+02:00");
    EXPECT_EQ(told("2024-03-01T09:00+01:00[Europe/Berlin],1\n2024-07-01T09:00+02:00[Europe/Berlin],"
                   "1\n"),
              "2024-03-01T09:00:00+01:00");
    // Offsets that change name no zone, and rows that say nothing are in UTC.
    EXPECT_EQ(told("2024-03-01T09:00+01:00,1\n2024-07-01T09:00+02:00,1\n"), "2024-03-01T08:00:00Z");
    EXPECT_EQ(told("2024-03-01T09:00+01:00,1\n2024-07-01T09:00,1\n"), "2024-03-01T08:00:00Z");
}

TEST(BarNamed, AcceptsTheBarsOfReports) {
    const Zone tokyo = Zone::named("Asia/Tokyo").value();
    const auto read = read_prices("date,close\n2024-03-01 00:00,1\n2024-03-01 09:00,1\n",
                                  PriceFormat::csv, {.zone = tokyo});
    const Series& series = read->front().series;
    EXPECT_EQ(bar_named(series, "2024-03-01"), 0);
    EXPECT_EQ(bar_named(series, "2024-03-01 09:00"), 1);
    EXPECT_EQ(bar_named(series, "2024-03-01T09:00:00+09:00"), 1);
    EXPECT_EQ(bar_named(series, "1"), 1);
    EXPECT_EQ(bar_named(series, "2024-03-02"), std::nullopt);
}

TEST(Timestamps, ReportWhatIsWrongWithAZone) {
    EXPECT_THAT(why_not("2024-03-31T12:00 Europe/Berln"),
                HasSubstr("no time zone \"Europe/Berln\""));
    EXPECT_THAT(why_not("2024-03-31T12:00[]"), HasSubstr("no time zone"));
    EXPECT_THAT(why_not("2024-03-31T12:00[../etc/passwd]"), HasSubstr("no time zone"));
    EXPECT_THAT(why_not("2024-03-31T12:00+01:00[Europe/Berlin]"),
                HasSubstr("The offset of Europe/Berlin at this time is not +01:00"));
    EXPECT_THAT(why_not("2024-03-31T02:30", Zone::named("Europe/Berlin").value()),
                HasSubstr("the clocks went forward"));
    EXPECT_FALSE(Zone::named("").has_value());
    EXPECT_FALSE(Zone::named("+2").has_value());
}

// 01:00 to 05:00 of the night in which clocks went back, an hour a bar: 02:00 comes twice.
TEST(PriceReader, ARepeatedHourIsNeitherAGapNorADuplicate) {
    std::string rows = "date,close\n";
    for (const char* hour : {"00", "01", "02", "02", "03", "04", "05"})
        rows += std::string("2024-10-27 ") + hour + ":00,1\n";
    const PriceReading reading{.zone = Zone::named("Europe/Berlin").value()};
    const auto read = read_prices(rows, PriceFormat::csv, reading).value();
    ASSERT_TRUE(read.front().ok()) << read.front().errors.front().message;
    const auto& time = read.front().series.time;
    ASSERT_EQ(time.size(), 7u);
    for (std::size_t i = 1; i < time.size(); ++i) EXPECT_EQ(time[i] - time[i - 1], 3600);
    // A third time is one too many.
    rows += "2024-10-27 02:00,1\n";
    EXPECT_FALSE(read_prices(rows, PriceFormat::csv, reading).value().front().ok());
}

// Nine in the morning, New York: a week with the change of clocks has no gap, six days have.
TEST(PriceReader, GapsAreMeasuredInElapsedTime) {
    std::string rows = "date,close\n";
    for (const char* day : {"03-06", "03-07", "03-08", "03-09", "03-10", "03-11", "03-12"})
        rows += std::string("2024-") + day + " 09:30,1\n";
    const PriceReading reading{.zone = Zone::named("America/New_York").value()};
    const auto whole = read_prices(rows, PriceFormat::csv, reading).value();
    EXPECT_EQ(whole.front().flags.gaps, 0u);
    const auto torn = read_prices(rows + "2024-03-18 09:30,1\n", PriceFormat::csv, reading).value();
    EXPECT_EQ(torn.front().flags.gaps, 1u);
    EXPECT_EQ(torn.front().flags.longest_gap, 6 * 86400);
    const auto& time = whole.front().series.time;
    EXPECT_EQ(time[4] - time[3], 23 * 3600);
}

TEST(PriceReader, AnUnknownZoneFailsOnlyItsSymbol) {
    const auto read = csv(
        "symbol,date,close\nA,2024-01-02 10:00 Mars/Olympus,1\nB,2024-01-02 10:00 Asia/Tokyo,1\n");
    ASSERT_EQ(read.size(), 2u);
    EXPECT_THAT(read[0].errors.front().message, HasSubstr("no time zone \"Mars/Olympus\""));
    EXPECT_TRUE(read[1].ok());
    const auto json =
        json_lines(R"({"symbol":"A","date":["2024-01-02T10:00 Mars/Olympus"],"close":[1]})");
    EXPECT_THAT(
        json.front().errors.front().message,
        HasSubstr("Bar 0: the date \"2024-01-02T10:00 Mars/Olympus\" cannot be used. There"));
}

TEST(PriceReader, FlagsSplitsOfEveryUsualRatio) {
    for (const double ratio : {1.5, 2.0, 3.0, 7.0, 10.0, 20.0, 1 / 4.0, 1 / 25.0}) {
        const std::string after = std::to_string(100 / ratio * 1.01);
        const auto read = csv("close\n99\n101\n100\n" + after + "\n" + after + "\n");
        EXPECT_THAT(read.front().flags.splits, ElementsAre(3u)) << ratio;
    }
    EXPECT_TRUE(csv("close\n100\n120\n95\n").front().flags.splits.empty());
}

// Weeks of hourly bars, nine to five from Monday to Friday.
Series trading_hours(int weeks) {
    constexpr std::int64_t kHour = 3600;
    Series series;
    for (int day = 0; day < 7 * weeks; ++day)
        for (int hour = 9; hour <= 17 && day % 7 < 5; ++hour) {
            series.time.push_back((24 * day + hour) * kHour);
            for (auto* column : {&series.open, &series.high, &series.low, &series.close})
                column->push_back(100 + (hour * 7 + day) % 5);
        }
    return series;
}

TEST(Flags, NightsAndWeekendsAreNotGaps) {
    EXPECT_EQ(flag(trading_hours(12)).gaps, 0u);
    EXPECT_EQ(flag(trading_hours(3)).gaps, 0u);
}

TEST(Flags, AHolidayAmongTradingHoursIsAGap) {
    auto series = trading_hours(12);
    const auto wednesday = 30 * 9 + 2 * 9;  // of the seventh week
    for (auto* column : {&series.open, &series.high, &series.low, &series.close})
        column->erase(column->begin() + wednesday, column->begin() + wednesday + 9);
    series.time.erase(series.time.begin() + wednesday, series.time.begin() + wednesday + 9);
    const auto flags = flag(series);
    EXPECT_EQ(flags.gaps, 1u);
    EXPECT_EQ(flags.longest_gap, (24 + 16) * 3600);
}

}  // namespace
}  // namespace plimsoll::waves
