// Teams' shares and limits, and holds.
#include "tests/conformance/store_test.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace plimsoll::conformance {
namespace {

class SharePromises : public StoreTest {
  protected:
    queue::ShareStore& store() { return stores_.shares; }
    Author author() const { return {people_.team, people_.user, "req_1"}; }

    queue::NewHold hold_of_team(bool by_admin) const {
        queue::NewHold hold;
        hold.scope = "team";
        hold.team = people_.team;
        hold.mode = "pause";
        hold.reason = "a bad model";
        hold.by_admin = by_admin;
        return hold;
    }
    queue::NewHold hold_of_device(const std::string& node, const std::string& device) const {
        queue::NewHold hold;
        hold.scope = device.empty() ? "node" : "device";
        hold.node = node;
        hold.device = device;
        hold.mode = "drain";
        hold.reason = "repairs";
        hold.by_admin = true;
        return hold;
    }
    // Of the holds that a team sees, those that the test made, newest first.
    std::vector<std::int64_t> seen_by(TeamId team, const std::vector<std::int64_t>& made) {
        std::vector<std::int64_t> ids;
        for (const auto& hold : must(store().holds(team)))
            if (std::ranges::count(made, hold.id) > 0) ids.push_back(hold.id);
        return ids;
    }
    static constexpr TeamId kNoTeam{999'999'999};
};

TEST_F(SharePromises, AShareIsReplacedWhole) {
    EXPECT_TRUE(must(store().shares(people_.team)).empty());
    queue::ShareTerms terms{2, 3, queue::SecondsQuota{60, "hour"}};
    must(store().set_share(author(), people_.team, "gpu", terms));
    auto shares = must(store().shares(people_.team));
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].team, people_.team);
    EXPECT_EQ(shares[0].team_name, kind_);
    EXPECT_EQ(shares[0].device_class, "gpu");
    EXPECT_EQ(shares[0].terms.weight, 2);
    EXPECT_EQ(shares[0].terms.cap, 3);
    ASSERT_TRUE(shares[0].terms.quota);
    EXPECT_EQ(shares[0].terms.quota->seconds, 60);
    EXPECT_EQ(shares[0].terms.quota->period, "hour");
    EXPECT_FALSE(shares[0].paused);

    must(store().set_share(author(), people_.team, "gpu", {}));
    shares = must(store().shares(people_.team));
    ASSERT_EQ(shares.size(), 1u);
    EXPECT_EQ(shares[0].terms.weight, 1);
    EXPECT_FALSE(shares[0].terms.cap);
    EXPECT_FALSE(shares[0].terms.quota);
    EXPECT_EQ(code(store().set_share(author(), kNoTeam, "gpu", {})), Errc::not_found);
    EXPECT_EQ(code(store().set_share(author(), people_.team, "abacus", {})), Errc::invalid_input);
    EXPECT_TRUE(must(store().shares(others().team)).empty());
}

TEST_F(SharePromises, LimitsAreListedWhileThereAreAny) {
    EXPECT_TRUE(must(store().limits(people_.team)).empty());
    must(store().set_limits(author(), people_.team, {7, std::nullopt}));
    must(store().set_limits(author(), people_.team, {std::nullopt, 60}));
    const auto limits = must(store().limits(people_.team));
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_FALSE(limits[0].limits.queued_jobs) << "they are set whole";
    EXPECT_EQ(limits[0].limits.jobs_per_minute, 60);
    EXPECT_TRUE(must(store().limits(others().team)).empty());
    must(store().set_limits(author(), people_.team, {}));
    EXPECT_TRUE(must(store().limits(people_.team)).empty());
    EXPECT_EQ(code(store().set_limits(author(), kNoTeam, {7, std::nullopt})), Errc::not_found);
}

TEST_F(SharePromises, ADeviceClassIsSetIfItExists) {
    const auto gpu = [this] {
        const auto classes = must(store().classes());
        return *std::ranges::find(classes, "gpu", &queue::ClassOverview::device_class);
    };
    const auto before = gpu();
    must(store().set_class(author(), "gpu", 60, 5));
    EXPECT_EQ(gpu().half_life_seconds, 60);
    EXPECT_EQ(gpu().entry_limit_seconds, 5);
    must(store().set_class(author(), "gpu", before.half_life_seconds, before.entry_limit_seconds));
    EXPECT_EQ(code(store().set_class(author(), "abacus", 60, 5)), Errc::not_found);
}

TEST_F(SharePromises, ATeamLiftsOnlyItsOwnHolds) {
    must(store().set_share(author(), people_.team, "gpu", {}));
    const auto own = must(store().hold(author(), hold_of_team(false)));
    const auto admins = must(store().hold(author(), hold_of_team(true)));
    EXPECT_TRUE(must(store().shares(people_.team))[0].paused);
    EXPECT_EQ(seen_by(people_.team, {own, admins}), (std::vector{admins, own}));
    const auto other = others();
    EXPECT_TRUE(seen_by(other.team, {own, admins}).empty());

    EXPECT_EQ(code(store().resume(author(), own, other.team)), Errc::not_found);
    EXPECT_EQ(code(store().resume(author(), admins, people_.team)), Errc::not_found);
    must(store().resume(author(), own, people_.team));
    EXPECT_EQ(code(store().resume(author(), own, people_.team)), Errc::not_found);
    const auto next = must(store().hold(author(), hold_of_team(false)));
    EXPECT_NE(next, own) << "a number is used once";
    EXPECT_NE(next, admins);
    must(store().resume(author(), next, std::nullopt));
    EXPECT_TRUE(must(store().shares(people_.team))[0].paused) << "the system admin's stands";
    must(store().resume(author(), admins, std::nullopt));
    EXPECT_FALSE(must(store().shares(people_.team))[0].paused);
}

TEST_F(SharePromises, AHoldShowsItsScopeAndItsCreator) {
    const auto team = must(store().hold(author(), hold_of_team(false)));
    add_device();
    const auto node = must(store().hold(author(), hold_of_device(kind_, "")));
    const auto device = must(store().hold(author(), hold_of_device(kind_, "cpu:0")));
    for (const auto& hold : must(store().holds(people_.team))) {
        if (hold.id != team && hold.id != node && hold.id != device) continue;
        EXPECT_EQ(hold.by_name, kind_);
        EXPECT_EQ(hold.scope, hold.id == team ? "team" : hold.id == node ? "node" : "device");
        EXPECT_EQ(hold.mode, hold.id == team ? "pause" : "drain");
        EXPECT_EQ(hold.reason, hold.id == team ? "a bad model" : "repairs");
        EXPECT_EQ(hold.by_admin, hold.id != team);
        EXPECT_EQ(hold.team_name, hold.id == team ? kind_ : "");
        EXPECT_EQ(hold.node, hold.id == team ? "" : kind_);
        EXPECT_EQ(hold.device, hold.id == device ? "cpu:0" : "");
        if (hold.id == team) EXPECT_EQ(hold.subject, std::to_string(people_.team.value));
        if (hold.id == node) EXPECT_EQ(hold.subject, kind_);
    }
    EXPECT_EQ(seen_by(others().team, {team, node, device}), (std::vector{device, node}));
    EXPECT_EQ(code(store().resume(author(), node, people_.team)), Errc::not_found);
    for (const auto id : {team, node, device}) must(store().resume(author(), id, std::nullopt));
}

TEST_F(SharePromises, UnknownSubjectsCannotBeHeld) {
    auto team = hold_of_team(true);
    team.team = kNoTeam;
    EXPECT_EQ(code(store().hold(author(), team)), Errc::not_found);
    queue::NewHold device_class = hold_of_device("", "");
    device_class.scope = "device_class";
    device_class.device_class = "abacus";
    EXPECT_EQ(code(store().hold(author(), device_class)), Errc::not_found);
    EXPECT_EQ(code(store().hold(author(), hold_of_device("nowhere", ""))), Errc::not_found);
    add_device();
    EXPECT_EQ(code(store().hold(author(), hold_of_device(kind_, "cpu:9"))), Errc::not_found);
}

TEST_F(SharePromises, ACleanupIsRequestedOfARunningDevice) {
    add_device();
    must(store().ask_cleanup(author(), kind_, "cpu:0"));
    EXPECT_EQ(code(store().ask_cleanup(author(), kind_, "cpu:9")), Errc::not_found);
    EXPECT_EQ(code(store().ask_cleanup(author(), "nowhere", "cpu:0")), Errc::not_found);
}

}  // namespace
}  // namespace plimsoll::conformance
