#include "server/client/api_client.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

const std::string kStream =
    ": hello\n\nretry: 1000\n\nid: 1\nevent: submitted\ndata: {\"a\":1}\n\nevent: job\r\ndata: "
    "one\r\ndata:two\r\n\r\n"
    "id: 2\ndata: last\n\ndata: never finished";

std::vector<ServerEvent> read_in_pieces(std::size_t size) {
    EventStreamParser parser;
    std::vector<ServerEvent> events;
    for (std::size_t at = 0; at < kStream.size(); at += size) {
        parser.feed(std::string_view(kStream).substr(at, size),
                    [&](const ServerEvent& e) { events.push_back(e); });
    }
    return events;
}

TEST(EventStream, ReadsTheSameEventsHoweverTheBytesAreCut) {
    for (std::size_t size = 1; size <= kStream.size(); ++size) {
        const auto events = read_in_pieces(size);
        ASSERT_EQ(events.size(), 3U) << size;
        EXPECT_EQ(events[0].id, "1");
        EXPECT_EQ(events[0].type, "submitted");
        EXPECT_EQ(events[0].data, "{\"a\":1}");
        EXPECT_EQ(events[1].type, "job");
        EXPECT_EQ(events[1].data, "one\ntwo");
        EXPECT_EQ(events[1].id, "1");  // stays until another is named
        EXPECT_EQ(events[2].id, "2");
        EXPECT_EQ(events[2].type, "message");
    }
}

}  // namespace
}  // namespace plimsoll::client
