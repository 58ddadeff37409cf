#include "server/postgres/cluster/data_lock.hpp"
#include "server/postgres/cluster/embedded.hpp"
#include "server/postgres/driver/sqlstate.hpp"
#include "server/postgres/jobs/enqueue.hpp"
#include "server/postgres/workers/worker_store.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

namespace fs = std::filesystem;

class InFolder : public ::testing::Test {
  protected:
    InFolder() {
        std::string name = (fs::temp_directory_path() / "plimsoll-log-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~InFolder() override { fs::remove_all(folder_); }

    fs::path write(const std::string& text) {
        std::ofstream(folder_ / "start.log") << text;
        return folder_ / "start.log";
    }

    fs::path folder_;
};
using LogTail = InFolder;
using DataLockTest = InFolder;

TEST_F(LogTail, IsTheWholeOfAShortLog) {
    EXPECT_EQ(log_tail(write("one\ntwo\n")), "one\ntwo");
    EXPECT_EQ(log_tail(write("")), "");
}

TEST_F(LogTail, BeginsWithALineOfALongOne) {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
    const auto tail = log_tail(write(text));
    EXPECT_TRUE(tail.starts_with("line ")) << tail;
    EXPECT_TRUE(tail.ends_with("\nline 999")) << tail;
    EXPECT_LE(tail.size(), 1024u);
    EXPECT_EQ(log_tail(write(std::string(5000, 'x'))), "");
}

TEST_F(LogTail, FollowsNoLink) {
    fs::create_symlink(write("secret"), folder_ / "link.log");
    EXPECT_EQ(log_tail(folder_ / "link.log"), "");
    EXPECT_EQ(log_tail(folder_ / "missing.log"), "");
    EXPECT_EQ(log_tail(folder_), "");
}

TEST_F(DataLockTest, ARemovedLockFileLetsNobodyElseIn) {
    const auto held = DataLock::take(folder_);
    ASSERT_TRUE(held);
    EXPECT_FALSE(DataLock::take(folder_));
    fs::remove(folder_ / "serve.lock");
    EXPECT_FALSE(DataLock::take(folder_));
}

TEST(SqlstateTest, EveryKindOfFailureHasItsCode) {
    EXPECT_EQ(error_code("57014"), Errc::timeout);
    EXPECT_EQ(error_code("57P01"), Errc::unavailable);  // the server is being shut down
    EXPECT_EQ(error_code("53300"), Errc::unavailable);  // too many connections
    EXPECT_EQ(error_code("40001"), Errc::unavailable);  // serialisation: try again
    EXPECT_EQ(error_code("23505"), Errc::conflict);
    EXPECT_EQ(error_code("PLM01"), Errc::conflict);
    EXPECT_EQ(error_code("PLM02"), Errc::conflict);
    EXPECT_EQ(error_code("42501"), Errc::forbidden);
    EXPECT_EQ(error_code("22P02"), Errc::invalid_input);
    EXPECT_EQ(error_code("23514"), Errc::invalid_input);
    EXPECT_EQ(error_code("PLM04"), Errc::internal);  // a call for another team: our mistake
    EXPECT_EQ(error_code("42P01"), Errc::internal);  // no such table: our mistake
}

TEST(MemoryBucketTest, IsTheSmallestPowerOfTwoThatHoldsIt) {
    EXPECT_EQ(memory_bucket(0), 0);
    EXPECT_EQ(memory_bucket(1), 0);
    EXPECT_EQ(memory_bucket(2), 1);
    EXPECT_EQ(memory_bucket(3), 2);
    EXPECT_EQ(memory_bucket(1024), 10);
    EXPECT_EQ(memory_bucket(1025), 11);
    EXPECT_EQ(memory_bucket(80 * 1024), 17);
}

queue::Claim claim_of(std::int64_t fence, int tasks) {
    queue::Claim claim;
    claim.fence = fence;
    for (int seq = 0; seq < tasks; ++seq) {
        auto& task = claim.tasks.emplace_back();
        task.job = JobId{7};
        task.seq = seq;
    }
    return claim;
}

TEST(HeldLeasesTest, ALeaseEndsWithItsLastTask) {
    HeldLeases held;
    held.add(claim_of(5, 2));
    held.add(claim_of(6, 1));
    held.settled(5, {{JobId{7}, 0}});
    EXPECT_EQ(held.fences(), (std::vector<std::int64_t>{5, 6}));
    held.settled(5, {{JobId{7}, 1}});
    EXPECT_EQ(held.fences(), std::vector<std::int64_t>{6});
}

TEST(HeldLeasesTest, UnknownLeasesAreIgnored) {
    HeldLeases held;
    held.settled(1, {{JobId{7}, 0}});
    EXPECT_TRUE(held.fences().empty());
}

}  // namespace

}  // namespace plimsoll::postgres
