// A job whose arguments are completed by what workers offer.
#include "tests/unit/server/planning/planning_case.hpp"

namespace plimsoll::planning {
namespace {

using nlohmann::json;

class AdvertisedModel : public PlanningCase {
  protected:
    // A worker tells the queue that it has the model.
    void advertisement(const std::string& name, const std::string& state = "active",
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
        add_device("node-" + name, "opencl:pocl:0", "cpu", state,
                   {{"advertisements", {{"sentiment", {{"models", {model}}}}}}}, ago);
    }
    auto plan(json args) {
        args["texts"] = {"a"};
        return PlanningCase::plan("sentiment", args);
    }
};

TEST_F(AdvertisedModel, IsRequiredByTheJob) {
    advertisement("finbert");
    const auto planned = plan(json::object());
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->plan.requirement.capability, "model finbert aaaaaaaaaaaa");
}

TEST_F(AdvertisedModel, IsKnownForAnHourAfterItsWorkerEnded) {
    advertisement("finbert", "retired", std::chrono::minutes(59));
    advertisement("roberta", "failed", std::chrono::minutes(61));
    const auto planned = plan({{"model", "finbert"}});
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->plan.requirement.capability, "model finbert aaaaaaaaaaaa");
    EXPECT_FALSE(plan({{"model", "roberta"}}));
    EXPECT_EQ(plan(json::object())->plan.requirement.capability, "") << "by vader";
}

TEST_F(AdvertisedModel, IsNotLookedUpForVader) {
    database_.close();
    EXPECT_TRUE(plan({{"model", "vader"}}));
}

TEST_F(AdvertisedModel, ManySubmitsReadThePoolOnce) {
    ASSERT_TRUE(plan(json::object()));
    database_.close();
    EXPECT_TRUE(plan(json::object()));
}

TEST_F(AdvertisedModel, NothingIsRefusedBecauseOfStaleData) {
    EXPECT_FALSE(plan({{"model", "finbert"}}));
    advertisement("finbert");
    EXPECT_TRUE(plan({{"model", "finbert"}}));
}

}  // namespace
}  // namespace plimsoll::planning
