#include "server/terminal/files/unused_members.hpp"

#include <gtest/gtest.h>

namespace plimsoll::terminal {
namespace {

std::string found(const UnusedMembers& unused) {
    std::string text;
    for (const auto& [name, line] : unused.found())
        text += std::to_string(line) + " " + name + "; ";
    return text;
}

TEST(UnusedMembers, NamesEachOnceWithItsFirstLineForAnyPieces) {
    const std::string lines =
        "{\"text\":\"a\",\"date\":1}\n"
        "\"a string\"\n"
        "\n"
        "not JSON\n"
        "{\"text\":\"b\",\"date\":2,\"custom_ID\":\"x\"}";
    for (const std::size_t size : {1UL, 7UL, lines.size()}) {
        UnusedMembers unused({"text", "custom_id"});
        for (std::size_t at = 0; at < lines.size(); at += size) {
            unused.feed(std::string_view(lines).substr(at, size));
        }
        unused.finish();
        EXPECT_EQ(found(unused), "1 date; 5 custom_ID; ") << size;
    }
}

TEST(UnusedMembers, KeepsALimitedNumber) {
    UnusedMembers unused({});
    for (int i = 0; i < 100; ++i) unused.feed("{\"m" + std::to_string(i) + "\":0}\n");
    unused.finish();
    EXPECT_EQ(unused.found().size(), 20U);
}

}  // namespace
}  // namespace plimsoll::terminal
