// Submitting jobs, alone and in bundles, and finding them again.
#include "tests/conformance/store_test.hpp"

#include <chrono>
#include <set>
#include <vector>

namespace plimsoll::conformance {
namespace {

using queue::JobState;

class SubmitPromises : public StoreTest {
  protected:
    queue::JobStore& store() { return stores_.jobs; }
    std::size_t stored() { return must(store().list(people_.team, {})).jobs.size(); }

    // By a filter that `set` changes.
    template <class Set>
    std::vector<JobId> listed(Set set) {
        queue::JobFilter filter;
        set(filter);
        std::vector<JobId> found;
        const auto listed = must(store().list(people_.team, filter));
        for (const auto& one : listed.jobs) found.push_back(one.id);
        return found;
    }
};

TEST_F(SubmitPromises, AJobIsStoredAsItWasSent) {
    auto spec = job_of(3);
    spec.priority = -10;
    const auto submitted = must(store().submit(spec));
    EXPECT_FALSE(submitted.replayed);
    EXPECT_FALSE(submitted.taken);
    const auto found = job(submitted.id);
    EXPECT_EQ(found.id, submitted.id);
    EXPECT_EQ(found.team, people_.team);
    EXPECT_EQ(found.submitter, people_.user);
    EXPECT_EQ(found.submitter_name, kind_);
    EXPECT_EQ(found.kind, kind_);
    EXPECT_EQ(found.name, "a job");
    EXPECT_EQ(found.labels, (queue::Labels{{"desk", "energy"}}));
    EXPECT_EQ(found.priority, -10);
    EXPECT_EQ(found.state, JobState::queued);
    EXPECT_EQ(found.args, spec.plan.args);
    EXPECT_EQ(found.items_total, 30);
    EXPECT_EQ(found.items_done, 0);
    EXPECT_EQ(found.tasks_total, 3);
    EXPECT_EQ(found.error, "");
    EXPECT_FALSE(found.started_at);
    EXPECT_FALSE(found.finished_at);
    EXPECT_EQ(must(store().task_input(people_.team, found.id, 2)).packed, spec.plan.tasks[2].input);
    EXPECT_EQ(code(store().task_input(people_.team, found.id, 3)), Errc::not_found);
}

TEST_F(SubmitPromises, TheResponseHasTheJobAsStored) {
    auto now = job_of(2);
    now.priority = 7;
    now.unique_key = "nightly";
    now.timeout = queue::Seconds(0.1);
    now.deadline = in(std::chrono::hours(2));
    auto later = job_of(1);
    later.name.clear();
    later.labels.clear();
    later.run_at = in(std::chrono::hours(1));
    for (const auto& spec : {now, later}) {
        auto submitted = must(store().submit(spec));
        ASSERT_TRUE(submitted.made);
        submitted.made->submitter_name = kind_;
        EXPECT_TRUE(*submitted.made == job(submitted.id));
    }
    EXPECT_FALSE(must(store().submit(now)).made) << "its unique key is taken: nothing was made";
}

TEST_F(SubmitPromises, ALaterStartAndTheTimesAreKept) {
    auto spec = job_of(1);
    spec.run_at = in(std::chrono::hours(1));
    spec.deadline = in(std::chrono::hours(2));
    spec.timeout = queue::Seconds(90);
    const auto found = job(must(store().submit(spec)).id);
    EXPECT_EQ(found.state, JobState::scheduled);
    EXPECT_EQ(found.run_at, spec.run_at);
    EXPECT_EQ(found.deadline, spec.deadline);
    EXPECT_EQ(found.timeout, spec.timeout);
    const auto wait = must(store().wait(people_.team, found.id));
    ASSERT_TRUE(wait);
    EXPECT_EQ(wait->reason, "scheduled");
    EXPECT_EQ(wait->until, spec.run_at);
}

TEST_F(SubmitPromises, OneUnfinishedJobHasAUniqueKey) {
    auto spec = job_of(1);
    spec.unique_key = "nightly";
    const auto first = must(store().submit(spec));
    const auto second = must(store().submit(spec));
    EXPECT_TRUE(second.taken);
    EXPECT_EQ(second.id, first.id);
    EXPECT_EQ(job(first.id).unique_key, "nightly");
    const auto other = others();
    auto theirs = spec;
    theirs.team = other.team;
    theirs.submitter = other.user;
    EXPECT_FALSE(must(store().submit(theirs)).taken) << "each team has keys of its own";
    must(store().cancel(people_.team, people_.user, first.id));
    const auto third = must(store().submit(spec));
    EXPECT_FALSE(third.taken);
    EXPECT_NE(third.id, first.id);
}

TEST_F(SubmitPromises, AnIdempotencyKeyCreatesOneJob) {
    auto spec = job_of(1);
    spec.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    int first = 0;
    int answered = 0;
    std::set<std::int64_t> ids;
    for (int i = 0; i < 64; ++i) {
        asio::co_spawn(io_, store().submit(spec),
                       [&](std::exception_ptr, Result<queue::Submitted> submitted) {
                           ++answered;
                           ASSERT_TRUE(submitted);
                           first += !submitted->replayed;
                           ids.insert(submitted->id.value);
                       });
    }
    io_.restart();
    while (answered < 64 && io_.run_one()) {
    }
    // In one commit all 64 are the first; what counts is that there is one job.
    EXPECT_GE(first, 1);
    EXPECT_EQ(ids.size(), 1u);
    EXPECT_EQ(stored(), 1u);
    const auto again = must(store().submit(spec));
    EXPECT_TRUE(again.replayed);
    EXPECT_EQ(again.id.value, *ids.begin());
    const auto before = must(store().submitted_before(people_.team, *spec.idempotency));
    EXPECT_TRUE(before.replayed);
    EXPECT_EQ(before.id, again.id);

    EXPECT_EQ(code(store().submitted_before(others().team, *spec.idempotency)), Errc::not_found);
    spec.idempotency->fingerprint = std::string(32, 'b');
    EXPECT_EQ(code(store().submit(spec)), Errc::conflict);
    EXPECT_EQ(code(store().submitted_before(people_.team, *spec.idempotency)), Errc::conflict);
    EXPECT_EQ(stored(), 1u);
}

TEST_F(SubmitPromises, AReplayIsAnsweredBeforeTheUniqueKeyIsChecked) {
    auto spec = job_of(1);
    spec.unique_key = "nightly";
    spec.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    const auto first = must(store().submit(spec));
    const auto again = must(store().submit(spec));
    EXPECT_EQ(again.id, first.id);
    EXPECT_TRUE(again.replayed);
    EXPECT_FALSE(again.taken);
}

TEST_F(SubmitPromises, ABundleIsStoredWholeOrNotAtAll) {
    auto held = job_of(1);
    held.unique_key = "nightly";
    const auto holder = must(store().submit(held)).id;
    const std::vector bundle = {job_of(1), held, job_of(2)};
    const auto refused = must(store().submit_all(bundle, true));
    ASSERT_EQ(refused.size(), 3u);
    EXPECT_EQ(refused[0].error().code, Errc::cancelled);
    EXPECT_TRUE(refused[1]->taken);
    EXPECT_EQ(refused[1]->id, holder);
    EXPECT_EQ(refused[2].error().code, Errc::cancelled);
    EXPECT_EQ(stored(), 1u);

    const auto each = must(store().submit_all(bundle, false));
    EXPECT_TRUE(each[0] && each[1]->taken && each[2]);
    EXPECT_EQ(job(each[2]->id).tasks_total, 2);
    EXPECT_EQ(stored(), 3u);
}

TEST_F(SubmitPromises, ABundleThatConflictsNamesTheJob) {
    auto keyed = job_of(1);
    keyed.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    must(store().submit(keyed));
    keyed.idempotency->fingerprint = std::string(32, 'b');
    const auto refused = must(store().submit_all({job_of(1), keyed}, true));
    EXPECT_EQ(refused[0].error().code, Errc::cancelled);
    EXPECT_EQ(refused[1].error().code, Errc::conflict);
    EXPECT_EQ(stored(), 1u);
}

TEST_F(SubmitPromises, JobsOfABundleMayReplayAndMayShareAUniqueKey) {
    auto keyed = job_of(1);
    keyed.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    const auto first = must(store().submit(keyed)).id;
    const auto whole = must(store().submit_all({keyed, job_of(1)}, true));
    EXPECT_EQ(whole[0]->id, first);
    EXPECT_TRUE(whole[0]->replayed);
    EXPECT_FALSE(whole[1]->replayed);
    auto unique = job_of(1);
    unique.unique_key = "nightly";
    const auto each = must(store().submit_all({unique, unique}, false));
    EXPECT_FALSE(each[0]->taken);
    EXPECT_TRUE(each[1]->taken);
    EXPECT_EQ(each[1]->id, each[0]->id);
}

TEST_F(SubmitPromises, InvalidJsonFailsOnlyItsJob) {
    auto bad = job_of(1);
    bad.plan.args = "not JSON";
    EXPECT_EQ(code(store().submit(bad)), Errc::invalid_input);
    EXPECT_EQ(code(store().submit_all({job_of(1), bad}, true)), Errc::invalid_input);
    EXPECT_EQ(stored(), 0u);
    const auto each = must(store().submit_all({job_of(1), bad, job_of(1)}, false));
    EXPECT_TRUE(each[0]);
    EXPECT_EQ(each[1].error().code, Errc::invalid_input);
    EXPECT_TRUE(each[2]);
    EXPECT_EQ(stored(), 2u);
}

TEST_F(SubmitPromises, ListsAreNewestFirstInPagesAndFiltered) {
    std::vector<JobId> ids;
    for (int i = 0; i < 5; ++i) {
        auto spec = job_of(1);
        if (i == 2) spec.labels = {{"desk", "metals"}};
        if (i == 3) spec.labels = {{"pipeline", "nightly"}};
        ids.push_back(must(store().submit(spec)).id);
    }
    must(store().cancel(people_.team, people_.user, ids[0]));
    using Ids = std::vector<JobId>;
    using Filter = queue::JobFilter;
    EXPECT_EQ(listed([](Filter&) {}), Ids(ids.rbegin(), ids.rend()));
    EXPECT_EQ(listed([](Filter& f) { f.limit = 2; }), (Ids{ids[4], ids[3]}));
    EXPECT_EQ(listed([&](Filter& f) {
                  f.before = ids[3];
                  f.limit = 2;
              }),
              (Ids{ids[2], ids[1]}));
    EXPECT_EQ(listed([](Filter& f) { f.state = JobState::cancelled; }), Ids{ids[0]});
    EXPECT_EQ(listed([](Filter& f) { f.state = JobState::queued; }),
              (Ids{ids[4], ids[3], ids[2], ids[1]}));
    EXPECT_EQ(listed([&](Filter& f) {
                  f.state = JobState::queued;
                  f.before = ids[2];
              }),
              Ids{ids[1]});
    EXPECT_EQ(listed([](Filter& f) {
                  f.label_key = "desk";
                  f.label_value = "metals";
              }),
              Ids{ids[2]});
    EXPECT_EQ(listed([](Filter& f) { f.label_key = "desk"; }),
              (Ids{ids[4], ids[2], ids[1], ids[0]}));
    EXPECT_EQ(listed([](Filter& f) {
                  f.state = JobState::queued;
                  f.label_key = "desk";
                  f.limit = 2;
              }),
              (Ids{ids[4], ids[2]}));
    EXPECT_TRUE(listed([](Filter& f) { f.kind = "another"; }).empty());
    EXPECT_EQ(listed([&](Filter& f) { f.kind = kind_; }).size(), 5u);
}

TEST_F(SubmitPromises, JobsAreFoundAndCountedWithoutAnIndex) {
    std::vector<JobId> ids;
    for (int i = 0; i < 4; ++i) {
        auto spec = job_of(1);
        spec.name = i == 1 ? "harbour 50% off" : "news";
        ids.push_back(must(store().submit(spec)).id);
    }
    must(store().cancel(people_.team, people_.user, ids[0]));
    using Ids = std::vector<JobId>;
    using Filter = queue::JobFilter;
    const auto created = job(ids[2]).created_at;
    EXPECT_EQ(listed([](Filter& f) { f.words = {"harbour", "50%"}; }), Ids{ids[1]});
    EXPECT_TRUE(listed([](Filter& f) { f.words = {"h_rbour"}; }).empty());
    EXPECT_EQ(listed([](Filter& f) { f.unfinished = true; }), (Ids{ids[3], ids[2], ids[1]}));
    EXPECT_EQ(listed([&](Filter& f) { f.submitter = people_.user; }).size(), 4u);
    EXPECT_EQ(listed([&](Filter& f) { f.submitter_name = kind_; }).size(), 4u);
    EXPECT_TRUE(listed([](Filter& f) { f.submitter_name = "nobody"; }).empty());
    EXPECT_EQ(listed([&](Filter& f) { f.only = ids[2]; }), Ids{ids[2]});
    EXPECT_EQ(listed([&](Filter& f) { f.created_from = created; }).back(), ids[2]);
    EXPECT_EQ(listed([&](Filter& f) { f.created_before = created; }).front(), ids[1]);
    EXPECT_TRUE(listed([](Filter& f) { f.device_class = "accelerator"; }).empty());
    EXPECT_TRUE(listed([](Filter& f) {
                    f.node = "dock-1";
                    f.device = "host";
                }).empty())
        << "no device has run any";
    EXPECT_EQ(listed([](Filter& f) {
                  f.state = JobState::queued;
                  f.words = {"news"};
                  f.limit = 1;
              }),
              Ids{ids[3]});
    Filter news, harbour;
    news.words = {"news"};
    harbour.words = {"harbour"};
    EXPECT_FALSE(must(store().list(people_.team, news)).examined_to) << "there are no older ones";

    const auto counts = must(store().count(people_.team, {}));
    EXPECT_TRUE(counts.complete);
    EXPECT_EQ(counts.jobs,
              (std::map<JobState, std::int64_t>{{JobState::queued, 3}, {JobState::cancelled, 1}}));
    EXPECT_EQ(must(store().count(people_.team, harbour)).jobs.at(JobState::queued), 1);
    const auto other = others();
    EXPECT_TRUE(must(store().list(other.team, news)).jobs.empty());
    EXPECT_TRUE(must(store().count(other.team, {})).jobs.empty());
}

}  // namespace
}  // namespace plimsoll::conformance
