// Uploads, step by step, and the jobs on what was uploaded.
#include "tests/conformance/store_test.hpp"

#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

using queue::DatasetState;

class DatasetPromises : public StoreTest {
  protected:
    queue::DatasetStore& store() { return stores_.datasets; }

    queue::NewDataset file(std::int64_t bytes) const {
        return {people_.team, people_.user, "a file", text::RecordFormat::csv, bytes};
    }
    queue::Dataset announce(std::int64_t bytes = 100) { return must(store().create(file(bytes))); }
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
    queue::NewJob job_on() const {
        auto spec = job_of(1);
        spec.plan.tasks.clear();
        return spec;
    }
};

TEST_F(DatasetPromises, AnUploadContinuesFromItsOffset) {
    const auto announced = announce();
    EXPECT_EQ(announced.state, DatasetState::uploading);
    EXPECT_EQ(announced.submitter, people_.user);
    EXPECT_EQ(announced.submitter_name, kind_);
    EXPECT_EQ(announced.bytes_total, 100);
    EXPECT_EQ(must(store().upload(people_.team, announced.id)).reading, "");

    const auto first = must(store().append(people_.team, announced.id, step(0, 60, {chunk(0, 4)})));
    EXPECT_EQ(first.bytes_received, 60);
    EXPECT_GT(first.version, announced.version);
    EXPECT_EQ(must(store().upload(people_.team, announced.id)).reading, "state");
    EXPECT_EQ(code(store().append(people_.team, announced.id, step(0, 70, {chunk(0, 9)}))),
              Errc::conflict);

    const auto last = must(store().append(people_.team, announced.id,
                                          step(60, 100, {chunk(4, 3, 1), chunk(7, 2)}, true)));
    EXPECT_EQ(last.state, DatasetState::ready);
    EXPECT_EQ(last.records, 9);
    EXPECT_EQ(last.records_failed, 1);
    EXPECT_EQ(last.chunks, 3);
    EXPECT_EQ(last.columns, (std::vector<std::string>{"a", "text"}));
    const auto chunks = must(store().chunks(people_.team, announced.id));
    ASSERT_EQ(chunks.size(), 3u);
    EXPECT_EQ(chunks[1].seq, 1);
    EXPECT_EQ(chunks[1].first_record, 4);
    EXPECT_EQ(chunks[1].records, 3);
    EXPECT_EQ(chunks[1].failed, 1);
    EXPECT_EQ(must(store().chunk(people_.team, announced.id, 2)), "chunk 7");
    EXPECT_EQ(code(store().chunk(people_.team, announced.id, 3)), Errc::not_found);
    EXPECT_EQ(code(store().append(people_.team, announced.id, step(100, 100, {}))), Errc::conflict)
        << "it is complete";
}

TEST_F(DatasetPromises, ARejectedFileKeepsOnlyItsReason) {
    const auto dataset = announce();
    must(store().append(people_.team, dataset.id, step(0, 60, {chunk(0, 4, 1)})));
    const auto rejected = must(store().reject(people_.team, dataset.id, "no good"));
    EXPECT_EQ(rejected.state, DatasetState::failed);
    EXPECT_EQ(rejected.error, "no good");
    EXPECT_EQ(rejected.records, 0);
    EXPECT_EQ(rejected.records_failed, 0);
    EXPECT_EQ(rejected.chunks, 0);
    EXPECT_TRUE(must(store().chunks(people_.team, dataset.id)).empty());
    EXPECT_EQ(code(store().append(people_.team, dataset.id, step(60, 100, {}))), Errc::conflict);
    EXPECT_EQ(must(store().reject(people_.team, dataset.id, "again")).error, "no good");
    EXPECT_EQ(must(store().reject(people_.team, upload_all().id, "late")).state,
              DatasetState::ready);
}

TEST_F(DatasetPromises, AJobHasATaskForEachChunk) {
    const auto dataset = upload_all();
    const auto id = must(store().submit(job_on(), dataset.id, 0.001, 0.0001)).id;
    EXPECT_EQ(job(id).items_total, 9);
    EXPECT_EQ(job(id).tasks_total, 3);
    EXPECT_EQ(must(stores_.jobs.task_input(people_.team, id, 1)).packed, "chunk 4");
    EXPECT_EQ(code(store().submit(job_on(), announce().id, 1, 0)), Errc::not_found)
        << "an upload that is not complete";
}

TEST_F(DatasetPromises, AJobsKeysAlsoApplyOnDatasets) {
    const auto dataset = upload_all();
    auto spec = job_on();
    spec.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    spec.unique_key = "nightly";
    const auto first = must(store().submit(spec, dataset.id, 1, 0)).id;
    EXPECT_TRUE(must(store().submit(spec, dataset.id, 1, 0)).replayed);
    spec.idempotency->fingerprint = std::string(32, 'b');
    EXPECT_EQ(code(store().submit(spec, dataset.id, 1, 0)), Errc::conflict);
    spec.idempotency.reset();
    const auto second = must(store().submit(spec, dataset.id, 1, 0));
    EXPECT_TRUE(second.taken);
    EXPECT_EQ(second.id, first);
}

TEST_F(DatasetPromises, ADatasetIsRemovedOnceNoJobNeedsIt) {
    const auto dataset = upload_all();
    const auto id = must(store().submit(job_on(), dataset.id, 1, 0)).id;
    EXPECT_EQ(code(store().remove(people_.team, people_.user, dataset.id)), Errc::conflict);
    must(stores_.jobs.cancel(people_.team, people_.user, id));
    must(store().remove(people_.team, people_.user, dataset.id));
    EXPECT_EQ(code(store().get(people_.team, dataset.id)), Errc::not_found);
    EXPECT_EQ(code(store().chunk(people_.team, dataset.id, 0)), Errc::not_found);
    EXPECT_EQ(code(store().remove(people_.team, people_.user, dataset.id)), Errc::not_found);
    EXPECT_EQ(code(store().submit(job_on(), dataset.id, 1, 0)), Errc::not_found);
    EXPECT_EQ(code(stores_.jobs.task_input(people_.team, id, 0)), Errc::not_found);
    const auto redriven = must(stores_.jobs.redrive(people_.team, people_.user, {id}));
    EXPECT_EQ(redriven.at(0).outcome, queue::Redrive::no_dataset);
}

TEST_F(DatasetPromises, AnotherTeamsDatasetLooksMissing) {
    const auto dataset = upload_all();
    const auto other = others();
    EXPECT_EQ(code(store().get(other.team, dataset.id)), Errc::not_found);
    EXPECT_EQ(code(store().upload(other.team, dataset.id)), Errc::not_found);
    EXPECT_EQ(code(store().chunks(other.team, dataset.id)), Errc::not_found);
    EXPECT_EQ(code(store().chunk(other.team, dataset.id, 0)), Errc::not_found);
    EXPECT_EQ(code(store().reject(other.team, dataset.id, "x")), Errc::not_found);
    EXPECT_EQ(code(store().remove(other.team, other.user, dataset.id)), Errc::not_found);
    auto theirs = job_on();
    theirs.team = other.team;
    theirs.submitter = other.user;
    EXPECT_EQ(code(store().submit(theirs, dataset.id, 1, 0)), Errc::not_found);
    EXPECT_TRUE(must(store().list(other.team, std::nullopt, 10)).empty());
}

TEST_F(DatasetPromises, ListsAreNewestFirstInPages) {
    const auto first = announce().id;
    const auto second = announce().id;
    const auto third = announce().id;
    const auto page = [&](std::optional<DatasetId> before, int limit) {
        std::vector<DatasetId> ids;
        for (const auto& one : must(store().list(people_.team, before, limit)))
            ids.push_back(one.id);
        return ids;
    };
    EXPECT_EQ(page({}, 2), (std::vector{third, second}));
    EXPECT_EQ(page(second, 2), (std::vector{first}));
}

TEST_F(DatasetPromises, ATeamsLimitsAreNamed) {
    const auto too_much = run(store().create(file(queue::kTeamDatasetBytes + 1)));
    EXPECT_EQ(too_much.error().code, Errc::invalid_input);
    EXPECT_EQ(too_much.error().where, "/bytes");
    for (int i = 0; i < queue::kTeamUploads; ++i) announce();
    EXPECT_EQ(code(store().create(file(1))), Errc::conflict) << "fewer later, with the same file";
}

}  // namespace
}  // namespace plimsoll::conformance
