#include "engine/zones/place.hpp"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace plimsoll::zones {
namespace {

std::string number(std::int64_t value, int bytes) {
    std::string text;
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
        text += static_cast<char>(value >> shift);
    return text;
}

std::string header(char version, std::size_t changes, std::size_t types, std::size_t leaps = 0) {
    std::string text = "TZif";
    text += version;
    text += std::string(15, '\0');
    for (const auto count : {std::size_t(0), std::size_t(0), leaps, changes, types, std::size_t(4)})
        text += number(static_cast<std::int64_t>(count), 4);
    return text;
}

// Changes: when, and to which type; types: seconds east of UTC.
std::string block(int time, const std::vector<std::pair<std::int64_t, int>>& changes,
                  const std::vector<std::int64_t>& types) {
    std::string text;
    for (const auto& [at, type] : changes) text += number(at, time);
    for (const auto& [at, type] : changes) text += static_cast<char>(type);
    for (const auto offset : types) text += number(offset, 4) + std::string(2, '\0');
    return text + std::string("LMT\0", 4);
}

// As zic writes files by default today: nothing for old readers, and the rule from the last change
// on.
std::string slim(const std::string& footer) {
    return header('2', 0, 1) + block(4, {}, {0}) + header('2', 2, 3) +
           block(8, {{-5'000'000'000, 1}, {1'000'000'000, 2}}, {-700, 3600, 7200}) + "\n" + footer +
           "\n";
}

TEST(Tzif, ReadsChangesAndTheRuleAfterThem) {
    const auto place = read_tzif(slim("CET-1CEST,M3.5.0,M10.5.0/3")).value();
    EXPECT_EQ(place.period(-6'000'000'000).offset, -700);
    EXPECT_EQ(place.period(-6'000'000'000).end, -5'000'000'000);
    EXPECT_EQ(place.period(0).offset, 3600);
    EXPECT_EQ(place.period(999'999'999).end, 1'000'000'000);
    // 1,000,000,000 is 2001-09-09: summer by the rule, which holds from the file's last change on.
    EXPECT_EQ(place.period(1'000'000'000).begin, 1'000'000'000);
    EXPECT_EQ(place.period(1'000'000'000).offset, 7200);
    EXPECT_EQ(place.period(4'000'000'000).offset, 7200);  // 2096-10-02
    EXPECT_EQ(place.period(4'010'000'000).offset, 3600);  // 2097-01-26
}

TEST(Tzif, KeepsTheLastOffsetWhereTheFooterIsEmpty) {
    const auto place = read_tzif(slim("")).value();
    EXPECT_EQ(place.period(4'010'000'000).offset, 7200);
    EXPECT_EQ(place.period(4'010'000'000).end, INT64_MAX);
}

TEST(Tzif, FollowsTheRuleFromTheBeginningWhereThereAreNoChanges) {
    const auto place = read_tzif(header('2', 0, 1) + block(4, {}, {0}) + header('2', 0, 1) +
                                 block(8, {}, {3600}) + "\nCET-1CEST,M3.5.0,M10.5.0/3\n")
                           .value();
    EXPECT_EQ(place.period(961'066'800).offset, 7200);  // 2000-06-15
}

TEST(Tzif, ReadsTheFirstVersion) {
    const auto place = read_tzif(header('\0', 1, 2) + block(4, {{-1'000, 1}}, {60, 3600})).value();
    EXPECT_EQ(place.period(-1'001).offset, 60);
    EXPECT_EQ(place.period(-1'000).offset, 3600);
}

TEST(Tzif, IsNoneIfAnythingIsInvalid) {
    const auto whole = slim("CET-1CEST,M3.5.0,M10.5.0/3");
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
        EXPECT_FALSE(read_tzif(whole.substr(0, bytes))) << bytes;
    EXPECT_FALSE(read_tzif(slim("CET-1CEST")));
    EXPECT_FALSE(read_tzif("#\n# A table\n" + std::string(100, ' ')));
    EXPECT_FALSE(read_tzif(header('\0', 1, 1) + block(4, {{0, 1}}, {0}))) << "no such type";
    EXPECT_FALSE(read_tzif(header('\0', 2, 1) + block(4, {{5, 0}, {5, 0}}, {0})))
        << "not ascending";
    EXPECT_FALSE(read_tzif(header('\0', 0, 1) + block(4, {}, {1'000'000}))) << "no offset";
    EXPECT_FALSE(read_tzif(header('\0', 0, 1, 1) + block(4, {}, {0}) + std::string(8, '\0')))
        << "leap seconds";
}

TEST(PlaceNamed, FindsPlacesAndNothingElse) {
    EXPECT_EQ(place_named("Europe/Berlin"), place_named("Europe/Berlin"));
    EXPECT_EQ(place_named("America/Argentina/Buenos_Aires")->name,
              "America/Argentina/Buenos_Aires");
    for (const auto* name :
         {"", "Europe", "Europe/", "Europe/Atlantis", "../../../etc/passwd", "/etc/localtime",
          "right/Europe/Berlin", "localtime", "zone1970.tab", "Europe/../Europe/Berlin"})
        EXPECT_EQ(place_named(name), nullptr) << name;
}

}  // namespace
}  // namespace plimsoll::zones
