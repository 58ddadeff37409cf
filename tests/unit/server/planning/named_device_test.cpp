// A job that names the device that it runs on.
#include "tests/unit/server/planning/planning_case.hpp"

namespace plimsoll::planning {
namespace {

using nlohmann::json;

class NamedDevice : public PlanningCase {
  protected:
    NamedDevice() {
        add_device("node-a", "host", "host", "active");
        add_device("crane-7", "opencl:nv:0", "gpu", "retired");
    }

    auto plan(const json& args) { return PlanningCase::plan("profile", args); }
    std::string refusal(const json& args) {
        const auto planned = plan(args);
        if (planned) return "";
        const auto& error = planned.error().arguments.at(0);
        return error.pointer + " " + error.rule;
    }
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
    database_.close();
    EXPECT_TRUE(plan({{"sentiment_model", "vader"}}));
    EXPECT_FALSE(plan({{"device", "node-a/host"}}));
}

}  // namespace
}  // namespace plimsoll::planning
