// On loopback.
#include "server/outbound/caller.hpp"

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::outbound {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using testing::HasSubstr;

using Answer = tl::expected<int, Caller::Failure>;

// A server for one request, which it keeps.
class CallerTest : public testing::Test {
  protected:
    CallerTest()
        : acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}),
          origin_("http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port())) {}

    void respond(std::string response) {
        asio::co_spawn(io_, serve(std::move(response)), asio::detached);
    }
    Answer send(const std::string& origins, const std::string& networks, Receiver receiver = {}) {
        const Caller caller(AllowList::parse(origins, networks).value(),
                            verifying_context().value());
        std::optional<Answer> answer;
        asio::co_spawn(
            io_,
            caller.send(parse_target(origin_ + "/notices").value(),
                        {boost::beast::http::verb::get, "/notices", 11}, std::move(receiver)),
            [&](const std::exception_ptr& thrown, Answer got) {
                if (thrown) std::rethrow_exception(thrown);
                answer = std::move(got);
            });
        io_.restart();  // it stopped when the call before had ended
        while (!answer) io_.run_one();
        return *answer;
    }
    Caller::Obstacle obstacle(const std::string& origins, const std::string& networks) {
        return send(origins, networks).error().obstacle;
    }

    asio::io_context io_{1};
    tcp::acceptor acceptor_;
    std::string origin_;
    std::string request_;

  private:
    asio::awaitable<void> serve(std::string response) {
        auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
        while (!request_.ends_with("\r\n\r\n")) {
            char piece[512];
            const auto size =
                co_await socket.async_read_some(asio::buffer(piece), asio::use_awaitable);
            request_.append(piece, size);
        }
        co_await asio::async_write(socket, asio::buffer(response), asio::use_awaitable);
    }
};

TEST_F(CallerTest, ReturnsTheStatusAndPassesOnTheBody) {
    respond("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nno.");
    std::string body;
    const auto answer = send(origin_, "127.0.0.0/8",
                             {.wants_body = [](int status) { return status == 403; },
                              .body = [&](std::string_view piece) -> Result<void> {
                                  body += piece;
                                  return {};
                              }});
    ASSERT_TRUE(answer) << answer.error().reason;
    EXPECT_EQ(*answer, 403);
    EXPECT_EQ(body, "no.");
    EXPECT_THAT(request_, testing::StartsWith("GET /notices HTTP/1.1\r\n"));
    EXPECT_THAT(request_, HasSubstr("Host: " + origin_.substr(7) + "\r\n"));
    EXPECT_THAT(request_, HasSubstr("Connection: close\r\n"));
}

TEST_F(CallerTest, BoundsTheBody) {
    respond("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlong");
    const auto answer = send(origin_, "127.0.0.1",
                             {.wants_body = [](int) { return true; },
                              .body = [](std::string_view) -> Result<void> { return {}; },
                              .max_bytes = 3});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().obstacle, Caller::Obstacle::size);
}

TEST_F(CallerTest, NamesTheObstacle) {
    EXPECT_EQ(obstacle("https://hooks.example.com", "127.0.0.0/8"), Caller::Obstacle::origin);
    EXPECT_EQ(obstacle(origin_, ""), Caller::Obstacle::address) << "it is not public";
    respond("nonsense\r\n\r\n");
    EXPECT_EQ(obstacle(origin_, "127.0.0.0/8"), Caller::Obstacle::exchange);
    acceptor_.close();
    const auto refused = send(origin_, "127.0.0.0/8").error();
    EXPECT_EQ(refused.obstacle, Caller::Obstacle::exchange);
    EXPECT_EQ(refused.reason, "Connection refused");
}

}  // namespace
}  // namespace plimsoll::outbound
