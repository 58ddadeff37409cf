// Web pages beside the API, and stopping.
#include "server/base/gzip.hpp"
#include "server/http/site/site.hpp"
#include "tests/unit/server/http/live/live_server.hpp"

#include <filesystem>
#include <fstream>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

namespace plimsoll::http::test {
namespace {

namespace fs = std::filesystem;

class Pages : public ::testing::Test {
  protected:
    Pages() {
        write("index.html", "<!doctype html>hello");
        write("assets/index-1a2b.js", "let a = 1;");
        write("assets/index-1a2b.js.gz", gzip("let a = 1;"));
    }
    ~Pages() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& content) {
        fs::create_directories((folder_ / name).parent_path());
        std::ofstream(folder_ / name, std::ios::binary) << content;
    }
    static fs::path make_folder() {
        std::string name = (fs::temp_directory_path() / "plimsoll-pages-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        return name;
    }
    // What the pages alone answer.
    RawResponse get(StaticFiles& files, const Request& request) {
        boost::asio::io_context io;
        auto exchange = files.exchange();
        auto answer = boost::asio::co_spawn(io, exchange->admit(request), boost::asio::use_future);
        io.run();
        const auto response = answer.get();
        RawResponse raw;
        raw.status = response->status;
        raw.body = response->content();
        for (const auto& header : response->headers) raw.headers.emplace(header.name, header.value);
        return raw;
    }

    fs::path folder_ = make_folder();
};

TEST_F(Pages, AreServedWithAStrictPolicy) {
    auto files = StaticFiles::load(folder_);
    ASSERT_TRUE(files);
    Request request;
    request.method = "GET";
    request.target = "/";
    auto page = get(*files, request);
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.body, "<!doctype html>hello");
    EXPECT_EQ(page.header("Cache-Control"), "no-cache");
    EXPECT_NE(page.header("Content-Security-Policy").find("script-src 'self';"), std::string::npos);
    EXPECT_EQ(page.header("Content-Security-Policy").find("unsafe"), std::string::npos);

    request.headers = {{"If-None-Match", page.header("ETag")}};
    EXPECT_EQ(get(*files, request).status, 304);
}

TEST_F(Pages, AssetsAreCachedAndCompressed) {
    auto files = StaticFiles::load(folder_);
    Request request;
    request.method = "GET";
    request.target = "/assets/index-1a2b.js";
    auto plain = get(*files, request);
    EXPECT_EQ(plain.body, "let a = 1;");
    EXPECT_NE(plain.header("Cache-Control").find("immutable"), std::string::npos);
    request.headers = {{"Accept-Encoding", "gzip, br"}};
    auto packed = get(*files, request);
    EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
    EXPECT_EQ(gunzip(packed.body, 100), "let a = 1;");
}

TEST_F(Pages, AddressesOfTheDocumentationLeadToItsPages) {
    auto files = StaticFiles::load(folder_);
    Request request;
    request.method = "GET";
    request.target = "/docs/problems/not-found?from=log";
    const auto led = get(*files, request);
    EXPECT_EQ(led.status, 302);
    EXPECT_EQ(led.header("Location"), "/#/docs/problems/not-found");
    request.target = "/docs/%0d%0aSet-Cookie:%20a=b";
    EXPECT_EQ(get(*files, request).header("Location"), "/#/docs/%0d%0aSet-Cookie:%20a=b");
    request.method = "POST";
    EXPECT_EQ(get(*files, request).status, 405);
}

TEST_F(Pages, NothingOutsideTheFolderIsServed) {
    auto files = StaticFiles::load(folder_);
    Request request;
    request.method = "GET";
    for (const auto* target :
         {"/../secret", "/%2e%2e/secret", "/assets", "/assets/..%2findex.html", "//etc/passwd"}) {
        request.target = target;
        EXPECT_GE(get(*files, request).status, 400) << target;
    }
    request.target = "/";
    request.method = "POST";
    EXPECT_EQ(get(*files, request).status, 405);
}

TEST_F(Pages, AFolderWithoutPagesIsAClearError) {
    fs::remove(folder_ / "index.html");
    const auto files = StaticFiles::load(folder_);
    ASSERT_FALSE(files);
    EXPECT_EQ(files.error().where, folder_.string());
}

class Stopping : public LiveServer {
  protected:
    std::future<bool> drain() {
        on_io([this] { server_->drain(); });
        auto gone = server_->drained(std::chrono::seconds(30));
        return boost::asio::co_spawn(io_, std::move(gone), boost::asio::use_future);
    }
};

TEST_F(Stopping, ClosesIdleConnectionsAndFinishesTheOthers) {
    const auto id = submit();
    RawClient idle(port_);
    idle.send(bytes_of({"GET", "/healthz"}));
    EXPECT_EQ(idle.receive().status, 200);
    RawClient waiting(port_);
    waiting.send(bytes_of({"GET", path_of(id) + "?wait=60", identity_.ada}));
    RawClient stream(port_);
    Sent events{"GET", path_of(id) + "/events", identity_.ada};
    events.headers = {{"Accept", "text/event-stream"}};
    stream.send(bytes_of(events));
    stream.receive_until("event: job\n");

    auto drained = drain();
    EXPECT_TRUE(idle.closed());
    EXPECT_EQ(waiting.receive().header("connection"), "close");
    EXPECT_TRUE(stream.receive_until("\r\n0\r\n\r\n").ends_with("\r\n0\r\n\r\n"));
    EXPECT_TRUE(drained.get());
    EXPECT_ANY_THROW(RawClient late(port_));
}

}  // namespace
}  // namespace plimsoll::http::test
