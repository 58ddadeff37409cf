// A job that names the device that it runs on.
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

class NamedDevice : public testing::Test {
  protected:
    NamedDevice() {
        queue::DeviceStatus gone;
        gone.node = "crane-7";
        gone.device = "opencl:nv:0";
        gone.device_class = "gpu";
        gone.state = "gone";
        jobs_.more_devices = {gone};
    }

    tl::expected<Planned, Refusal> plan(const json& args) {
        auto planned = boost::asio::co_spawn(
            io_, planner_.plan({1}, {*planner_.kind("profile"), args}), boost::asio::use_future);
        io_.restart();
        io_.run();
        return planned.get();
    }
    std::string refusal(const json& args) {
        const auto planned = plan(args);
        if (planned) return "";
        const auto& error = planned.error().arguments.at(0);
        return error.pointer + " " + error.rule;
    }

    boost::asio::io_context io_{1};
    boost::asio::thread_pool pool_{1};
    fakes::FakeIdentity identity_;
    fakes::FakeJobStore jobs_{identity_};  // with a host, node-a/host
    fakes::FakeDatasetStore datasets_{identity_, jobs_};
    fakes::FakeTeamRecords records_;
    Planner planner_{datasets_, jobs::contracts(), {records_, jobs_}, pool_};
};

TEST_F(NamedDevice, GetsTheJobWithItsClass) {
    const auto planned = plan({{"device", "crane-7/opencl:nv:0"}});
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->plan.requirement.device_class, "gpu") << "it is waited for";
    EXPECT_EQ(planned->plan.requirement.capability, "device=crane-7/opencl:nv:0");
    EXPECT_EQ(json::parse(planned->plan.args)["device"], "crane-7/opencl:nv:0");
}

TEST_F(NamedDevice, IsRefusedIfUnknownOrNotMeasurable) {
    EXPECT_EQ(refusal({{"device", "crane-7/opencl:nv:1"}}), "/device unknown_device");
    EXPECT_EQ(refusal({{"device", "crane-7/"}}), "/device unknown_device");
    EXPECT_EQ(refusal({{"device", "node-a/host"}, {"mode", "engine"}}), "/device no_device");
    EXPECT_EQ(refusal({{"device", "node-a/host"}, {"device_class", "cpu"}}),
              "/device_class other_class");
    EXPECT_EQ(refusal({{"device", "node-a/host"}, {"device_class", "host"}}), "");
}

TEST_F(NamedDevice, IsNotLookedUpIfNoneIsNamed) {
    jobs_.broken = Error{Errc::unavailable, "The database is away.", {}};
    EXPECT_TRUE(plan({{"sentiment_model", "vader"}}));
    EXPECT_FALSE(plan({{"device", "node-a/host"}}));
}

}  // namespace
}  // namespace plimsoll::planning
