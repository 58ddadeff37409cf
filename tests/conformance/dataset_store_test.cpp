#include "server/queue/dataset.hpp"
#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using queue::DatasetState;

class DatasetStoreTest : public StoreTest {
  protected:
    queue::DatasetStore& store() { return stores_.datasets; }

    queue::Dataset announce(std::int64_t bytes = 100) {
        return must(
            store().create({people_.team, people_.user, "a file", text::RecordFormat::csv, bytes}));
    }
    static queue::UploadStep step(std::int64_t from, std::int64_t to,
                                  std::vector<jobs::DatasetChunk> chunks, bool ends = false) {
        return {from, to, ends ? "" : "state", {"a", "text"}, std::move(chunks), ends};
    }
    static jobs::DatasetChunk chunk(std::int64_t first, std::int64_t records,
                                    std::int64_t failed = 0) {
        return {"chunk " + std::to_string(first), first, records, failed, 50};
    }
    queue::Dataset upload_all() {
        const auto dataset = announce();
        must(store().append(people_.team, dataset.id, step(0, 60, {chunk(0, 4)})));
        return must(store().append(people_.team, dataset.id,
                                   step(60, 100, {chunk(4, 3, 1), chunk(7, 2)}, true)));
    }
    JobId submit(DatasetId id, double seconds_per_record = 0.001) {
        auto job = job_of(1);
        job.plan.tasks.clear();
        return must(store().submit(std::move(job), id, seconds_per_record, 0.0001)).id;
    }
};

TEST_F(DatasetStoreTest, ATaskRunsOnEachChunk) {
    const auto dataset = upload_all();
    const auto id = submit(dataset.id);
    const auto job = must(stores_.jobs.get(people_.team, id));
    EXPECT_EQ(job.items_total, 9);
    EXPECT_EQ(job.tasks_total, 3);
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    const auto claimed = claim(worker);
    ASSERT_EQ(claimed.tasks.size(), 3u);
    EXPECT_EQ(*claimed.tasks[0].chunk, "chunk 0");
    EXPECT_EQ(*claimed.tasks[2].chunk, "chunk 7");
    EXPECT_EQ(claimed.tasks[1].items, 3);
    EXPECT_NEAR(claimed.tasks[0].estimated_seconds, 4 * 0.001 + 50 * 0.0001, 1e-6);
    EXPECT_EQ(must(stores_.jobs.task_input(people_.team, id, 1)).packed, "chunk 4");
    must(worker.store().complete(worker.handle, claimed.fence, done(claimed)));
    finish(worker, host);
    EXPECT_EQ(state(id), queue::JobState::succeeded);
}

TEST_F(DatasetStoreTest, ChunksThatTakeTooLongAreCutIntoSlices) {
    const auto dataset = upload_all();
    // 0.405, 0.305 and 0.205 s: two tasks each.
    const auto id = submit(dataset.id, 0.1);
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).tasks_total, 6);
    EXPECT_EQ(must(stores_.jobs.get(people_.team, id)).items_total, 9);
    WorkerProcess worker(io_, kind_, "cpu", "cpu:0");
    WorkerProcess host(io_, kind_, "host", "host");
    std::vector<std::string> given;
    while (given.size() < 6) {
        const auto claimed = claim(worker);
        ASSERT_FALSE(claimed.tasks.empty());
        for (const auto& task : claimed.tasks) {
            given.push_back(*task.chunk + ", " + std::to_string(task.slice.index) + " of " +
                            std::to_string(task.slice.count) + ", " + std::to_string(task.items));
        }
        must(worker.store().complete(worker.handle, claimed.fence, done(claimed)));
    }
    EXPECT_EQ(given, (std::vector<std::string>{"chunk 0, 0 of 2, 2", "chunk 0, 1 of 2, 2",
                                               "chunk 4, 0 of 2, 1", "chunk 4, 1 of 2, 2",
                                               "chunk 7, 0 of 2, 1", "chunk 7, 1 of 2, 1"}));
    const auto input = must(stores_.jobs.task_input(people_.team, id, 3));
    EXPECT_EQ(input.packed, "chunk 4");
    EXPECT_EQ(input.slice.index, 1);
    EXPECT_EQ(input.slice.count, 2);
    finish(worker, host);
    EXPECT_EQ(state(id), queue::JobState::succeeded);
}

TEST_F(DatasetStoreTest, AbandonedUploadsExpire) {
    const auto dataset = announce();
    must(store().append(people_.team, dataset.id, step(0, 60, {chunk(0, 4)})));
    const auto finished = upload_all();
    EXPECT_EQ(must(background_.duties.run("expire_uploads", {.idle_upload_hours = 1})), 0);
    Cluster::get().execute(
        "update plimsoll.dataset set touched_at = touched_at - interval '2 hours' "
        "where team_id = " +
        std::to_string(people_.team.value));
    EXPECT_EQ(must(background_.duties.run("expire_uploads", {.idle_upload_hours = 1})), 1);
    EXPECT_EQ(run(store().get(people_.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(must(store().get(people_.team, finished.id)).state, DatasetState::ready);
}

}  // namespace
}  // namespace plimsoll::conformance
