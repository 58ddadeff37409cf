#include "server/worker/loop/inputs.hpp"

#include "engine/text/record_block.hpp"
#include "server/base/gzip.hpp"
#include "server/jobs/records/slice.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace plimsoll::worker {
namespace {

std::shared_ptr<const std::string> chunk_of_records(int first) {
    text::RecordBlockWriter writer(static_cast<std::uint64_t>(first));
    for (int i = 0; i < 20; ++i) {
        text::Record record;
        record.text = "text " + std::to_string(first + i);
        writer.add(record);
    }
    return std::make_shared<const std::string>(gzip(writer.take()));
}

queue::ClaimedTask on_chunk(std::shared_ptr<const std::string> chunk, jobs::Slice slice) {
    queue::ClaimedTask task;
    task.chunk = std::move(chunk);
    task.slice = slice;
    return task;
}

TEST(Inputs, EachTaskGetsItsSliceOfTheSharedChunk) {
    const auto one = chunk_of_records(0);
    const auto other = chunk_of_records(100);
    std::vector<queue::ClaimedTask> tasks;
    tasks.push_back(on_chunk(one, {3, 4}));
    tasks.push_back(on_chunk(other, {0, 4}));
    tasks.push_back(on_chunk(one, {1, 4}));
    tasks.push_back(on_chunk(one, {1, 4}));  // of another job
    tasks.push_back(on_chunk(one, {1, 3}));
    tasks.push_back(on_chunk(one, {0, 1}));
    tasks.emplace_back().input = "own";
    divide_chunks(tasks);
    EXPECT_EQ(tasks[0].input, jobs::cut_slice(*one, {3, 4}).value());
    EXPECT_EQ(tasks[1].input, jobs::cut_slice(*other, {0, 4}).value());
    EXPECT_EQ(tasks[2].input, jobs::cut_slice(*one, {1, 4}).value());
    EXPECT_EQ(tasks[3].input, tasks[2].input);
    EXPECT_EQ(tasks[4].input, jobs::cut_slice(*one, {1, 3}).value());
    EXPECT_EQ(tasks[5].input, *one);
    EXPECT_EQ(tasks[6].input, "own");
    EXPECT_EQ(one.use_count(), 1);
}

TEST(Inputs, ADamagedChunkIsTheInputOfItsTasks) {
    const auto damaged = std::make_shared<const std::string>("noise");
    std::vector tasks{on_chunk(damaged, {0, 2}), on_chunk(damaged, {1, 2})};
    divide_chunks(tasks);
    EXPECT_EQ(tasks[0].input, "noise");
    EXPECT_EQ(tasks[1].input, "noise");
}

}  // namespace
}  // namespace plimsoll::worker
