// Which thread makes the parts of a download.
#include "server/http/endpoints/results/result_parts.hpp"

#include "server/base/gzip.hpp"
#include "server/jobs/registry.hpp"

#include <algorithm>
#include <future>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

namespace plimsoll::http::endpoints {
namespace {

class ResultPartsTest : public testing::Test {
  protected:
    ResultPartsTest() {
        boost::asio::post(pool_, [free = free_.get_future().share()] { free.wait(); });
    }

    // Of `rows`, packed. Whether it was made while the pool was busy, and what it is.
    std::pair<bool, std::string> part_of(const std::string& rows) {
        const auto packed = gzip(rows);
        ResultSource source{
            [&](int) -> boost::asio::awaitable<Result<std::string>> { co_return packed; }, {}};
        queue::ChunkInfo chunk;
        chunk.items = std::ranges::count(rows, '\n');
        chunk.rows_bytes = static_cast<std::int64_t>(rows.size());
        ResultParts parts(std::move(source), pool_, {}, {chunk}, {}, jobs::ResultsFormat::jsonl,
                          jobs::contracts()[0], std::make_shared<PartSizes>());
        std::string made;
        bool done = false;
        boost::asio::io_context io{1};
        boost::asio::co_spawn(io, parts.part(1),
                              [&](const std::exception_ptr&, Result<std::string> part) {
                                  made = part.value();
                                  done = true;
                              });
        io.poll();
        const bool at_once = done;
        free_.set_value();
        io.restart();
        io.run();
        return {at_once, made};
    }

    std::promise<void> free_;
    boost::asio::thread_pool pool_{1};
};

TEST_F(ResultPartsTest, AFewRowsAreMadeAtOnce) {
    const std::string rows = "{\"index\":0}\n";
    EXPECT_EQ(part_of(rows), std::pair(true, rows));
}

TEST_F(ResultPartsTest, ManyRowsAreMadeByThePoolHoweverWellTheyArePacked) {
    std::string rows;
    while (rows.size() < 1'000'000) rows += "{\"index\":0}\n";
    EXPECT_LT(gzip(rows).size(), 64u * 1024);
    EXPECT_EQ(part_of(rows), std::pair(false, rows));
}

}  // namespace
}  // namespace plimsoll::http::endpoints
