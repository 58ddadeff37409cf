#include "server/queue/dataset_store.hpp"

#include "tests/conformance/store_test.hpp"

namespace plimsoll::conformance {
namespace {

using queue::DatasetState;

class DatasetStoreTest : public StoreTest {
  protected:
    queue::DatasetStore& store() { return server_.datasets(); }

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
    JobId submit(DatasetId id) {
        auto job = job_of(1);
        job.plan.tasks.clear();
        return must(store().submit(std::move(job), id, 0.001, 0.0001)).id;
    }
};

TEST_F(DatasetStoreTest, AnUploadGoesStepByStepFromWhereItStands) {
    const auto announced = announce();
    EXPECT_EQ(announced.state, DatasetState::uploading);
    EXPECT_EQ(announced.submitter_name, kind_);
    EXPECT_EQ(must(store().upload(people_.team, announced.id)).reading, "");

    const auto first = must(store().append(people_.team, announced.id, step(0, 60, {chunk(0, 4)})));
    EXPECT_EQ(first.bytes_received, 60);
    EXPECT_EQ(must(store().upload(people_.team, announced.id)).reading, "state");
    const auto late = run(store().append(people_.team, announced.id, step(0, 70, {chunk(0, 9)})));
    EXPECT_EQ(late.error().code, Errc::conflict);

    const auto last = must(store().append(people_.team, announced.id,
                                          step(60, 100, {chunk(4, 3, 1), chunk(7, 2)}, true)));
    EXPECT_EQ(last.state, DatasetState::ready);
    EXPECT_EQ(last.records, 9);
    EXPECT_EQ(last.records_failed, 1);
    EXPECT_EQ(last.columns, (std::vector<std::string>{"a", "text"}));
    const auto chunks = must(store().chunks(people_.team, announced.id));
    ASSERT_EQ(chunks.size(), 3u);
    EXPECT_EQ(chunks[1].first_record, 4);
    EXPECT_EQ(chunks[1].failed, 1);
    EXPECT_EQ(must(store().chunk(people_.team, announced.id, 2)), "chunk 7");
    const auto over = run(store().append(people_.team, announced.id, step(100, 100, {})));
    EXPECT_EQ(over.error().code, Errc::conflict);
}

TEST_F(DatasetStoreTest, ARejectedFileLeavesItsReasonAlone) {
    const auto dataset = announce();
    must(store().append(people_.team, dataset.id, step(0, 60, {chunk(0, 4)})));
    const auto rejected = must(store().reject(people_.team, dataset.id, "no good"));
    EXPECT_EQ(rejected.state, DatasetState::failed);
    EXPECT_EQ(rejected.error, "no good");
    EXPECT_EQ(rejected.records, 0);
    EXPECT_TRUE(must(store().chunks(people_.team, dataset.id)).empty());
}

TEST_F(DatasetStoreTest, ATaskRunsOnEachChunk) {
    const auto dataset = upload_all();
    const auto id = submit(dataset.id);
    const auto job = must(server_.jobs().get(people_.team, id));
    EXPECT_EQ(job.items_total, 9);
    EXPECT_EQ(job.tasks_total, 3);
    WorkerProcess worker(io_, *this, "cpu", "cpu:0");
    WorkerProcess host(io_, *this, "host", "host");
    const auto claimed = claim(worker);
    ASSERT_EQ(claimed.tasks.size(), 3u);
    EXPECT_EQ(claimed.tasks[0].input, "chunk 0");
    EXPECT_EQ(claimed.tasks[2].input, "chunk 7");
    EXPECT_EQ(claimed.tasks[1].items, 3);
    EXPECT_NEAR(claimed.tasks[0].estimated_seconds, 4 * 0.001 + 50 * 0.0001, 1e-6);
    EXPECT_EQ(must(server_.jobs().task_input(people_.team, id, 1)), "chunk 4");
    must(worker.store().complete(worker.handle, claimed.fence, done(claimed)));
    finish(worker, host);
    EXPECT_EQ(state(id), queue::JobState::succeeded);
}

TEST_F(DatasetStoreTest, ADatasetGoesWhenNoJobNeedsIt) {
    const auto dataset = upload_all();
    const auto id = submit(dataset.id);
    EXPECT_FALSE(must(server_.jobs().task_input(people_.team, id, 0)).empty());
    const auto busy = run(store().remove(people_.team, people_.user, dataset.id));
    EXPECT_EQ(busy.error().code, Errc::conflict);
    must(server_.jobs().cancel(people_.team, people_.user, id));
    must(store().remove(people_.team, people_.user, dataset.id));
    EXPECT_EQ(run(store().get(people_.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(run(store().chunk(people_.team, dataset.id, 0)).error().code, Errc::not_found);
    EXPECT_EQ(run(server_.jobs().task_input(people_.team, id, 0)).error().code, Errc::not_found);
    auto job = job_of(1);
    job.plan.tasks.clear();
    EXPECT_EQ(run(store().submit(std::move(job), dataset.id, 1, 0)).error().code, Errc::not_found);
}

TEST_F(DatasetStoreTest, AnotherTeamsDatasetIsNotThere) {
    const auto dataset = upload_all();
    const auto other = make_people(kind_ + "-other");
    EXPECT_EQ(run(store().get(other.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(run(store().upload(other.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(run(store().chunks(other.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(run(store().chunk(other.team, dataset.id, 0)).error().code, Errc::not_found);
    EXPECT_EQ(run(store().reject(other.team, dataset.id, "x")).error().code, Errc::not_found);
    EXPECT_EQ(run(store().remove(other.team, other.user, dataset.id)).error().code,
              Errc::not_found);
    EXPECT_TRUE(must(store().list(other.team, std::nullopt, 10)).empty());
    EXPECT_EQ(must(store().list(people_.team, std::nullopt, 10)).size(), 1u);
}

TEST_F(DatasetStoreTest, ATeamsLimitsAreNamed) {
    const auto too_much =
        run(store().create({people_.team, people_.user, "big", text::RecordFormat::csv,
                            queue::kTeamDatasetBytes + 1}));
    EXPECT_EQ(too_much.error().code, Errc::invalid_input);
    EXPECT_EQ(too_much.error().where, "/bytes");
    for (int i = 0; i < queue::kTeamUploads; ++i) announce();
    const auto too_many =
        run(store().create({people_.team, people_.user, "one more", text::RecordFormat::csv, 1}));
    EXPECT_EQ(too_many.error().code, Errc::invalid_input);
}

TEST_F(DatasetStoreTest, UploadsThatNobodyContinuesAreForgotten) {
    const auto dataset = announce();
    must(store().append(people_.team, dataset.id, step(0, 60, {chunk(0, 4)})));
    const auto finished = upload_all();
    EXPECT_EQ(must(server_.duties().expire_uploads(1)), 0);
    Cluster::get().execute(
        "update plimsoll.dataset set touched_at = touched_at - interval '2 hours' "
        "where team_id = " +
        std::to_string(people_.team.value));
    EXPECT_EQ(must(server_.duties().expire_uploads(1)), 1);
    EXPECT_EQ(run(store().get(people_.team, dataset.id)).error().code, Errc::not_found);
    EXPECT_EQ(must(store().get(people_.team, finished.id)).state, DatasetState::ready);
}

}  // namespace
}  // namespace plimsoll::conformance
