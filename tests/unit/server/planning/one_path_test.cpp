// A job, the jobs of a bundle and an estimate are planned by the same rules.
#include "tests/unit/server/planning/planning_case.hpp"

#include <array>
#include <chrono>

namespace plimsoll::planning {
namespace {

using nlohmann::json;

// Leaves the crane to the server: it needs one with an offer.
tl::expected<std::string, jobs::FieldErrors> with_crane(const json& given,
                                                        const jobs::PlanningContext& known) {
    if (given.contains("crane")) return given.dump();
    if (known.advertisements.empty())
        return jobs::refused("/crane", "no_crane", "There is no crane.");
    auto args = given;
    args["crane"] = known.advertisements.front();
    args["at"] = to_rfc3339(known.at);
    return args.dump();
}

jobs::Needs crane(const json& args) { return {.pool = !args.contains("crane")}; }

tl::expected<jobs::Plan, jobs::FieldErrors> lift(const json& args,
                                                 const jobs::PlanningContext& known) {
    auto text = with_crane(args, known);
    if (!text) return tl::unexpected(std::move(text.error()));
    return jobs::Plan{.args = std::move(*text), .requirement = {}, .tasks = {}};
}

constexpr std::array kLifts{
    jobs::Contract{
        .name = "lift", .columns = {}, .needs = crane, .plan = lift, .estimate = with_crane},
};

class OnePath : public PlanningCase {
  protected:
    OnePath() : PlanningCase(kLifts) { add_device("node-a", "host", "host", "active"); }

    void add_crane() {
        add_device("quay", "crane", "cpu", "active", {{"advertisements", {{"lift", "large"}}}});
    }
    template <class T>
    static std::string refusal(const tl::expected<T, Refusal>& result) {
        return result ? "" : to_text(result.error());
    }

    // What all ways make of the arguments: the completed ones, or the refusal.
    std::string outcome(const json& args) {
        const Arguments given{kLifts[0], args, Timestamp{}};
        const auto planned = run(planner_.plan({1}, given));
        const auto together = run(planner_.plan_all({1}, std::array{given, given})).value();
        const auto estimated = run(planner_.estimate({1}, given, pool_));
        const auto text = planned ? planned->plan.args : refusal(planned);
        for (const auto& one : together) EXPECT_EQ(one ? one->args : refusal(one), text);
        EXPECT_EQ(estimated ? *estimated : refusal(estimated), text);
        return text;
    }
};

TEST_F(OnePath, FillsInWhatIsLeft) {
    add_crane();
    const auto args = json::parse(outcome({{"load", 3}}));
    EXPECT_EQ(args.at("load"), 3);
    EXPECT_EQ(args.at("crane"), R"({"lift":"large"})");
    EXPECT_EQ(args.at("at"), to_rfc3339(Timestamp{})) << "when the job starts";
}

TEST_F(OnePath, LeavesCompleteArgumentsAlone) {
    database_.close();
    EXPECT_EQ(outcome({{"crane", "small"}}), R"({"crane":"small"})");
}

TEST_F(OnePath, RefusesWhatCannotBeCompleted) {
    EXPECT_EQ(outcome(json::object()), "/crane: There is no crane.");
}

TEST_F(OnePath, FindsTheClassOfANamedDevice) {
    EXPECT_EQ(outcome({{"crane", "small"}, {"device", "node-a/host"}}),
              R"({"crane":"small","device":"node-a/host","device_class":"host"})");
    EXPECT_EQ(outcome({{"crane", "small"}, {"device", "node-a/host"}, {"device_class", "gpu"}}),
              "/device_class: The device is of class host: omit device_class.");
    EXPECT_EQ(outcome({{"device", "node-b/host"}}).substr(0, 8), "/device:");
}

TEST_F(OnePath, ReadsThePoolOnceForCallsInARow) {
    add_crane();
    outcome({{"load", 3}});
    database_.close();
    const auto known = outcome({{"device", "node-a/host"}});
    EXPECT_EQ(json::parse(known).at("device_class"), "host");
}

TEST_F(OnePath, RefusesNothingBecauseOfStaleData) {
    ASSERT_EQ(outcome(json::object()), "/crane: There is no crane.");
    add_crane();
    const json open = json::object();
    const json done{{"crane", "small"}};
    const Arguments given{kLifts[0], open};
    const auto together =
        run(planner_.plan_all({1}, std::array{Arguments{kLifts[0], done}, given})).value();
    EXPECT_TRUE(together.at(0));
    EXPECT_TRUE(together.at(1));
}

}  // namespace
}  // namespace plimsoll::planning
