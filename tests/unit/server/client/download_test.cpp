#include "server/client/download.hpp"

#include "tests/unit/engine/temporary_folder.hpp"

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

using boost::asio::ip::tcp;

// Answers each connection with the next of these texts and closes it.
class ScriptedServer {
  public:
    explicit ScriptedServer(std::vector<std::string> answers)
        : acceptor_(io_, {boost::asio::ip::make_address("127.0.0.1"), 0}),
          address_("http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port())),
          thread_([this, answers = std::move(answers)] {
              for (const auto& answer : answers) serve(answer);
          }) {}
    ~ScriptedServer() {
        if (thread_.joinable()) thread_.join();
    }

    // The heads of the requests, once all answers were sent.
    const std::vector<std::string>& requests() {
        thread_.join();
        return requests_;
    }
    const std::string& address() const { return address_; }

  private:
    void serve(const std::string& answer) {
        tcp::socket socket(io_);
        acceptor_.accept(socket);
        std::string head;
        boost::asio::read_until(socket, boost::asio::dynamic_buffer(head), "\r\n\r\n");
        requests_.push_back(head);
        boost::system::error_code ignored;
        boost::asio::write(socket, boost::asio::buffer(answer), ignored);
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_;
    std::string address_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

std::string answer(const std::string& status, std::size_t length, const std::string& body) {
    return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n" +
           body;
}

std::string redirect(const std::string& to) {
    return "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n";
}

class Download : public testing::Test {
  protected:
    Result<void> fetch(ScriptedServer& server, const Watch& watch = {}) {
        return download({server.address(), "secret", {}}, {"/file", 10}, path_, watch);
    }
    static std::string content(const std::filesystem::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    }
    void keep(const std::string& bytes) const { std::ofstream(part_) << bytes; }

    TemporaryFolder folder_;
    const std::filesystem::path path_ = folder_.path() / "file";
    const std::filesystem::path part_ = folder_.path() / "file.part";
};

TEST_F(Download, ResumesWhereTheConnectionBroke) {
    ScriptedServer server(
        {answer("200 OK", 10, "0123"), answer("206 Partial Content", 6, "456789")});
    const auto broken = fetch(server);
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, Errc::unavailable);
    EXPECT_EQ(content(part_), "0123");
    ASSERT_TRUE(fetch(server));
    EXPECT_EQ(content(path_), "0123456789");
    EXPECT_FALSE(std::filesystem::exists(part_));
    const auto& requests = server.requests();
    EXPECT_EQ(requests[0].find("Range:"), std::string::npos);
    EXPECT_NE(requests[1].find("Range: bytes=4-\r\n"), std::string::npos);
    EXPECT_NE(requests[1].find("Authorization: Bearer secret\r\n"), std::string::npos);
}

TEST_F(Download, BeginsAgainWhereTheServerKnowsNoRanges) {
    keep("abcd");
    ScriptedServer server({answer("200 OK", 10, "0123456789")});
    ASSERT_TRUE(fetch(server));
    EXPECT_EQ(content(path_), "0123456789");
}

TEST_F(Download, NothingIsAskedForAFileThatIsAllThere) {
    keep("0123456789");
    ScriptedServer server({});
    ASSERT_TRUE(fetch(server));
    EXPECT_EQ(content(path_), "0123456789");
}

TEST_F(Download, OfAFileThatIsTooLongNothingIsKept) {
    for (const auto* there : {"", "0123", "01234567890123"}) {
        keep(there);
        ScriptedServer server({answer("200 OK", 11, "0123456789A")});
        const auto refused = fetch(server);
        ASSERT_FALSE(refused) << there;
        EXPECT_EQ(refused.error().code, Errc::corrupt);
        EXPECT_FALSE(std::filesystem::exists(part_));
    }
}

TEST_F(Download, RefusalsSayWhatTheyAre) {
    for (const auto& [status, code] : {std::pair{"401 No", Errc::unauthenticated},
                                       {"403 No", Errc::forbidden},
                                       {"404 No", Errc::not_found},
                                       {"500 No", Errc::unavailable}}) {
        ScriptedServer server({answer(status, 0, "")});
        const auto refused = fetch(server);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, code) << status;
    }
}

TEST_F(Download, OnlyAllowedRedirectsAreFollowed) {
    ScriptedServer server({redirect("/moved?to=here"), answer("200 OK", 10, "0123456789")});
    ASSERT_TRUE(fetch(server));
    EXPECT_TRUE(server.requests()[1].starts_with("GET /moved?to=here HTTP/1.1\r\n"));
    for (const auto* elsewhere :
         {"https://example.org/file", "http://127.0.0.1:1/file", "http://["}) {
        ScriptedServer away({redirect(elsewhere)});
        const auto refused = fetch(away);
        ASSERT_FALSE(refused) << elsewhere;
        EXPECT_EQ(refused.error().code, Errc::corrupt) << elsewhere;
    }
    ScriptedServer round(std::vector<std::string>(6, redirect("/again")));
    EXPECT_EQ(fetch(round).error().message, "The server redirects too many times.");
}

TEST_F(Download, StopsWhenItIsToldTo) {
    std::stop_source source;
    source.request_stop();
    ScriptedServer server({answer("200 OK", 10, "0123456789")});
    const auto stopped = fetch(server, {.stop = source.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, Errc::cancelled);
    EXPECT_TRUE(std::filesystem::exists(part_)) << "for the next time";
}

TEST_F(Download, AShortResponseHasALimit) {
    ScriptedServer server({answer("200 OK", 4, "text"), answer("200 OK", 4, "text")});
    const Origin origin{server.address(), "", {}};
    EXPECT_EQ(download_text(origin, "/short", 4).value(), "text");
    EXPECT_EQ(download_text(origin, "/short", 3).error().code, Errc::too_large);
    EXPECT_EQ(server.requests()[0].find("Authorization"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::client
