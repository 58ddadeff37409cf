// A job, the jobs of a bundle and an estimate are planned by the same rules.
#include "server/planning/planner.hpp"
#include "tests/fakes/fake_dataset_store.hpp"
#include "tests/fakes/fake_job_store.hpp"
#include "tests/fakes/fake_team_stores.hpp"

#include <array>
#include <future>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace plimsoll::planning {
namespace {

using nlohmann::json;

// Leaves the crane to the server: it needs one with an offer.
tl::expected<std::string, jobs::FieldErrors> with_crane(const json& given,
                                                        const jobs::PlanningContext& known) {
    if (given.contains("crane")) return given.dump();
    if (known.offers.empty()) return jobs::refused("/crane", "no_crane", "There is no crane.");
    auto args = given;
    args["crane"] = known.offers.front();
    args["at"] = to_rfc3339(known.at);
    return args.dump();
}

jobs::Needs crane(const json& args) {
    return {.pool = !args.contains("crane")};
}

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

class OnePath : public testing::Test {
  protected:
    void add_crane() {
        queue::DeviceStatus device;
        device.node = "quay";
        device.device = "crane";
        device.device_class = "cpu";
        device.state = "ready";
        device.capability = R"({"offers": {"lift": "large"}})";
        jobs_.more_devices.push_back(device);
    }
    template <class T>
    T run(boost::asio::awaitable<T> call) {
        auto result = boost::asio::co_spawn(io_, std::move(call), boost::asio::use_future);
        io_.restart();
        io_.run();
        return result.get();
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

    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{1};
    fakes::FakeIdentity identity_;
    fakes::FakeJobStore jobs_{identity_};  // with a host, node-a/host
    fakes::FakeDatasetStore datasets_{identity_, jobs_};
    fakes::FakeTeamRecords records_;
    Planner planner_{datasets_, kLifts, {records_, jobs_}, pool_};
};

TEST_F(OnePath, FillsInWhatIsLeft) {
    add_crane();
    const auto args = json::parse(outcome({{"load", 3}}));
    EXPECT_EQ(args.at("load"), 3);
    EXPECT_EQ(args.at("crane"), R"({"lift":"large"})");
    EXPECT_EQ(args.at("at"), to_rfc3339(Timestamp{})) << "when the job starts";
}

TEST_F(OnePath, LeavesCompleteArgumentsAlone) {
    EXPECT_EQ(outcome({{"crane", "small"}}), R"({"crane":"small"})");
    EXPECT_EQ(jobs_.devices_read, 0);
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

TEST_F(OnePath, ReadsThePoolOnceInASecond) {
    add_crane();
    outcome({{"load", 3}});
    outcome({{"device", "node-a/host"}});
    EXPECT_EQ(jobs_.devices_read, 1);
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
