#include "server/worker/device/running_record.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace plimsoll::worker {
namespace {

using Tasks = std::vector<queue::LeasedTask>;

TEST(RunningRecord, OutlivesTheWorkerThatWroteIt) {
    const int fd = RunningRecord::create();
    ASSERT_GE(fd, 0);
    const Tasks running{{7, JobId{1}, 0}, {7, JobId{2}, 3}};
    {
        RunningRecord first(dup(fd));
        EXPECT_EQ(first.tasks(), Tasks{});
        first.set(running);
    }
    RunningRecord second(dup(fd));
    EXPECT_EQ(second.tasks(), running);
    second.set({});
    EXPECT_EQ(RunningRecord(dup(fd)).tasks(), Tasks{});
    close(fd);
}

TEST(RunningRecord, HoldsNoMoreThanItHasRoomFor) {
    RunningRecord record(RunningRecord::create());
    record.set(Tasks(5'000, {1, JobId{1}, 0}));
    EXPECT_EQ(record.tasks().size(), 4'096U);
}

TEST(RunningRecord, WithoutADescriptorThereIsNone) {
    RunningRecord record(-1);
    record.set(Tasks{{1, JobId{1}, 0}});
    EXPECT_EQ(record.tasks(), Tasks{});
}

}  // namespace
}  // namespace plimsoll::worker
