// A job whose arguments are completed by what workers offer.
#include "server/jobs/registry.hpp"
#include "server/planning/planner.hpp"
#include "tests/fakes/fake_dataset_store.hpp"
#include "tests/fakes/fake_job_store.hpp"
#include "tests/fakes/fake_team_stores.hpp"

#include <future>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace plimsoll::planning {
namespace {

using nlohmann::json;

class OfferedModel : public testing::Test {
  protected:
    // A worker tells the queue that it has the model.
    void offer(const std::string& name, const std::string& state = "ready",
               std::chrono::minutes ago = {}) {
        const json model{{"name", name},
                         {"hash", std::string(64, 'a')},
                         {"licence", ""},
                         {"source", ""},
                         {"family", "bert"},
                         {"added_at", ""},
                         {"added_by", ""},
                         {"audience", ""},
                         {"parameters", 1000000},
                         {"labels", {"positive", "negative"}},
                         {"layers", 2},
                         {"longest_text", 512},
                         {"hidden", 128},
                         {"intermediate", 512},
                         {"bytes", 4000000},
                         {"files", json::array()},
                         {"proofs", json::array()},
                         {"accuracies", json::array()}};
        queue::DeviceStatus device;
        device.state = state;
        device.seen_at = SystemClock().now() - ago;
        device.device_class = "cpu";
        device.capability = json{{"offers", {{"sentiment", {{"models", {model}}}}}}}.dump();
        jobs_.more_devices.push_back(device);
    }
    tl::expected<Planned, Refusal> plan(json args) {
        args["texts"] = {"a"};
        auto planned = boost::asio::co_spawn(
            io_, planner_.plan({1}, {*planner_.kind("sentiment"), args}), boost::asio::use_future);
        io_.restart();
        io_.run();
        return planned.get();
    }

    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{1};
    fakes::FakeIdentity identity_;
    fakes::FakeJobStore jobs_{identity_};
    fakes::FakeDatasetStore datasets_{identity_, jobs_};
    fakes::FakeTeamRecords records_;
    Planner planner_{datasets_, jobs::contracts(), {records_, jobs_}, pool_};
};

TEST_F(OfferedModel, IsRequiredByTheJob) {
    offer("finbert");
    const auto planned = plan(json::object());
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->plan.requirement.capability, "model finbert aaaaaaaaaaaa");
}

TEST_F(OfferedModel, IsKnownForAnHourAfterItsWorkerEnded) {
    offer("finbert", "gone", std::chrono::minutes(59));
    offer("roberta", "failed", std::chrono::minutes(61));
    const auto planned = plan({{"model", "finbert"}});
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->plan.requirement.capability, "model finbert aaaaaaaaaaaa");
    EXPECT_FALSE(plan({{"model", "roberta"}}));
    EXPECT_EQ(plan(json::object())->plan.requirement.capability, "") << "by vader";
}

TEST_F(OfferedModel, IsNotLookedUpForVader) {
    ASSERT_TRUE(plan({{"model", "vader"}}));
    EXPECT_EQ(jobs_.devices_read, 0);
}

TEST_F(OfferedModel, ManySubmitsReadThePoolOnce) {
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(plan(json::object()));
    EXPECT_EQ(jobs_.devices_read, 1);
}

TEST_F(OfferedModel, NothingIsRefusedBecauseOfStaleData) {
    EXPECT_FALSE(plan({{"model", "finbert"}}));
    offer("finbert");
    EXPECT_TRUE(plan({{"model", "finbert"}}));
    EXPECT_EQ(jobs_.devices_read, 2);
}

}  // namespace
}  // namespace plimsoll::planning
