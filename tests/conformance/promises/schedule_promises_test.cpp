// Schedules as people keep them; due times are tests/integration/schedules_test.py.
#include "tests/conformance/store_test.hpp"

#include <string>

namespace plimsoll::conformance {
namespace {

using schedules::Answer;
using schedules::Schedule;
using schedules::ScheduleId;

class SchedulePromises : public StoreTest {
  protected:
    SchedulePromises() : author_{people_.team, people_.user, "request-1"} {}

    schedules::ScheduleStore& store() { return stores_.schedules; }

    static schedules::Settings settings(const std::string& name) {
        return {.name = name,
                .spec = R"({"kind":"sentiment","args":{"texts":["Good."]}})",
                .cron = "30 2 * * *",
                .time_zone = "Europe/Berlin"};
    }
    Schedule create(const std::string& name) {
        return must(store().create(author_, settings(name), next_));
    }
    Answer by_person(const Schedule& schedule) const {
        Answer answer;
        answer.schedule = schedule.id;
        answer.version = schedule.version;
        answer.way = Answer::Way::person;
        answer.user = people_.user;
        answer.submission = schedules::Submission{job_of(1), std::nullopt};
        return answer;
    }

    Author author_;
    Timestamp next_ = in(std::chrono::hours(1));
};

TEST_F(SchedulePromises, AScheduleIsStoredAsItWasSent) {
    const auto made = create("nightly");
    EXPECT_EQ(made.version, 1);
    EXPECT_EQ(made.user, people_.user);
    EXPECT_EQ(made.user_name, kind_);
    EXPECT_EQ(made.next_at, next_);
    EXPECT_FALSE(made.paused_at);
    const auto found = must(store().get(people_.team, made.id));
    EXPECT_EQ(found.settings.name, "nightly");
    EXPECT_EQ(found.settings.spec, settings("").spec);
    EXPECT_EQ(found.settings.cron, "30 2 * * *");
    EXPECT_EQ(found.settings.time_zone, "Europe/Berlin");
    EXPECT_EQ(found.settings.misfire, schedules::Misfire::once);
    EXPECT_EQ(found.settings.overlap, schedules::Overlap::skip);
}

TEST_F(SchedulePromises, ListsAreByNameAndWithoutTheJob) {
    create("weekly");
    create("nightly");
    const auto listed = must(store().list(people_.team));
    ASSERT_EQ(listed.size(), 2u);
    EXPECT_EQ(listed[0].settings.name, "nightly");
    EXPECT_EQ(listed[1].settings.name, "weekly");
    EXPECT_NE(listed[0].settings.spec.find("sentiment"), std::string::npos);
    EXPECT_EQ(listed[0].settings.spec.find("texts"), std::string::npos);
}

TEST_F(SchedulePromises, NamesAreUniqueInATeam) {
    const auto nightly = create("nightly");
    const auto weekly = create("weekly");
    const auto taken = run(store().create(author_, settings("nightly"), next_));
    EXPECT_EQ(taken.error().code, Errc::conflict);
    EXPECT_EQ(taken.error().where, "/name");
    const auto renamed =
        run(store().replace(author_, weekly.id, settings("nightly"), next_, std::nullopt));
    EXPECT_EQ(renamed.error().code, Errc::conflict);
    EXPECT_EQ(renamed.error().where, "/name");
    must(store().replace(author_, nightly.id, settings("nightly"), next_, std::nullopt));
    const auto other = others();
    must(store().create({other.team, other.user, ""}, settings("nightly"), next_));
}

TEST_F(SchedulePromises, AReplacementMayNameTheVersionItChanges) {
    const auto made = create("nightly");
    const auto ada = others();
    must(stores_.identity.set_member({people_.team, people_.user, ""}, people_.team, ada.user,
                                     identity::Role::member));
    const auto later = next_ + std::chrono::hours(1);
    const auto replaced = must(store().replace({people_.team, ada.user, ""}, made.id,
                                               settings("daily"), later, made.version));
    EXPECT_EQ(replaced.version, 2);
    EXPECT_EQ(replaced.settings.name, "daily");
    EXPECT_EQ(replaced.next_at, later);
    EXPECT_EQ(replaced.user, ada.user) << "who saved it last";
    const auto stale = run(store().replace(author_, made.id, settings("x"), next_, made.version));
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().code, Errc::conflict);
    EXPECT_EQ(stale.error().where, kSeen);
    EXPECT_EQ(must(store().replace(author_, made.id, settings("x"), next_, std::nullopt)).version,
              3);
}

TEST_F(SchedulePromises, APauseLastsUntilItIsResumed) {
    const auto made = create("nightly");
    const auto resumed_early = must(store().resume(author_, made.id, std::nullopt));
    EXPECT_EQ(resumed_early.version, 1) << "it was not paused";
    EXPECT_EQ(resumed_early.next_at, next_);

    const auto paused = must(store().pause(author_, made.id));
    EXPECT_TRUE(paused.paused_at);
    EXPECT_FALSE(paused.next_at);
    EXPECT_EQ(paused.version, 2);
    EXPECT_EQ(must(store().pause(author_, made.id)).version, 2);
    const auto replaced =
        must(store().replace(author_, made.id, settings("nightly"), next_, std::nullopt));
    EXPECT_TRUE(replaced.paused_at);
    EXPECT_FALSE(replaced.next_at);

    const auto resumed = must(store().resume(author_, made.id, next_));
    EXPECT_FALSE(resumed.paused_at);
    EXPECT_EQ(resumed.next_at, next_);
    EXPECT_EQ(resumed.version, 4);
}

TEST_F(SchedulePromises, AManualRunSubmitsItsJob) {
    const auto made = create("nightly");
    const auto first = must(store().run_now(author_, by_person(made)));
    EXPECT_EQ(first.outcome, "submitted");
    ASSERT_TRUE(first.job);
    const auto submitted = job(*first.job);
    ASSERT_TRUE(submitted.schedule);
    EXPECT_EQ(submitted.schedule->schedule, made.id.value);
    EXPECT_EQ(submitted.schedule->name, "nightly");
    const auto second = must(store().run_now(author_, by_person(made)));
    // The API names runs by milliseconds.
    EXPECT_LT(first.due_at, second.due_at);
    EXPECT_EQ(second.due_at, std::chrono::floor<std::chrono::milliseconds>(second.due_at));

    const auto runs = must(store().runs(people_.team, made.id, std::nullopt, 10));
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].job, second.job) << "newest first";
    EXPECT_EQ(runs[0].outcome, "submitted");
    EXPECT_EQ(runs[0].by_user, people_.user);
    EXPECT_EQ(runs[0].by_user_name, kind_);
    EXPECT_EQ(runs[0].job_state, "queued");
    EXPECT_EQ(must(store().runs(people_.team, made.id, std::nullopt, 1)).size(), 1u);
    const auto older = must(store().runs(people_.team, made.id, second.due_at, 10));
    ASSERT_EQ(older.size(), 1u);
    EXPECT_EQ(older[0].job, first.job);

    auto stale = by_person(made);
    stale.version = 7;
    EXPECT_EQ(must(store().run_now(author_, stale)).outcome, "changed");
}

TEST_F(SchedulePromises, KeysOfTheJobApplyInARun) {
    const auto made = create("nightly");
    auto answer = by_person(made);
    answer.submission->job.idempotency = queue::IdempotencyKey{"key", std::string(32, 'a')};
    answer.submission->job.unique_key = "nightly";
    const auto first = must(store().run_now(author_, answer));
    const auto again = must(store().run_now(author_, answer));
    EXPECT_EQ(again.outcome, "replayed");
    EXPECT_EQ(again.job, first.job);
    EXPECT_EQ(again.due_at, first.due_at);
    answer.submission->job.idempotency->fingerprint = std::string(32, 'b');
    EXPECT_EQ(must(store().run_now(author_, answer)).outcome, "key_conflict");
    EXPECT_EQ(must(store().runs(people_.team, made.id, std::nullopt, 10)).size(), 1u);
    answer.submission->job.idempotency.reset();
    EXPECT_EQ(must(store().run_now(author_, answer)).outcome, "failed");
    const auto runs = must(store().runs(people_.team, made.id, std::nullopt, 10));
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_FALSE(runs[0].job);
    EXPECT_EQ(runs[0].reason, "Another job with the same unique key has not finished.");
}

TEST_F(SchedulePromises, AnotherTeamsOrARemovedScheduleLooksMissing) {
    const auto id = create("nightly").id;
    const auto other = others();
    const Author theirs{other.team, other.user, ""};
    const auto refused = [&](const Author& who) {
        EXPECT_EQ(code(store().get(who.team, id)), Errc::not_found);
        EXPECT_EQ(code(store().pause(who, id)), Errc::not_found);
        EXPECT_EQ(code(store().resume(who, id, next_)), Errc::not_found);
        EXPECT_EQ(code(store().replace(who, id, settings("x"), next_, std::nullopt)),
                  Errc::not_found);
        EXPECT_EQ(code(store().runs(who.team, id, std::nullopt, 10)), Errc::not_found);
        EXPECT_EQ(code(store().remove(who, id)), Errc::not_found);
        EXPECT_TRUE(must(store().list(who.team)).empty());
    };
    refused(theirs);
    must(store().remove(author_, id));
    refused(author_);
}

TEST_F(SchedulePromises, TheNumberPerTeamIsLimited) {
    for (int i = 0; i < schedules::kSchedulesPerTeam; ++i) create(std::to_string(i));
    const auto refused = run(store().create(author_, settings("one too many"), next_));
    EXPECT_EQ(refused.error().code, Errc::conflict);
    EXPECT_EQ(refused.error().where, "");
}

}  // namespace
}  // namespace plimsoll::conformance
