// Which reports are compared with one another.
#include "server/kinds/profile/contract/advertisement.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::jobs::profile {
namespace {

using nlohmann::json;

json on(const char* name, int units) {
    return {{"device",
             {{"device", "opencl:nvidia:0"},
              {"name", name},
              {"type", "gpu"},
              {"driver", "580.65"},
              {"compute_units", units}}}};
}

TEST(ProfileComparisonKey, ContainsModeDeviceAndLimits) {
    EXPECT_EQ(comparison_key({{"mode", "engine"}}, on("NVIDIA H200", 132)),
              "engine on NVIDIA H200 (gpu, 132 units), batches up to 4096");
    EXPECT_EQ(
        comparison_key({{"mode", "full"},
                        {"sentiment_model", "vader"},
                        {"llm_endpoint", "http://llm/api/generate"},
                        {"llm_model", "tiny"},
                        {"limits", {{"max_batch", 64}, {"latency_ms", 2.5}, {"memory_mb", 100}}}},
                       on("NVIDIA H200", 132)),
        "full of vader and tiny at http://llm/api/generate on NVIDIA H200 (gpu, 132 units), "
        "batches up to 64, within 2.5 ms, within 100 MB");
}

TEST(ProfileComparisonKey, ContainsTheDeviceModelButNotMachineOrDriver) {
    const json args = {{"mode", "engine"}};
    auto elsewhere = on("NVIDIA H200", 132);
    elsewhere["device"]["device"] = "opencl:nvidia:5";
    elsewhere["device"]["driver"] = "590.1";
    EXPECT_EQ(comparison_key(args, on("NVIDIA H200", 132)), comparison_key(args, elsewhere));
    EXPECT_NE(comparison_key(args, on("NVIDIA H200", 132)),
              comparison_key(args, on("NVIDIA H200", 66)))
        << "a slice of it";
    EXPECT_NE(comparison_key(args, on("NVIDIA H200", 132)),
              comparison_key(args, on("NVIDIA H100", 132)));
}

}  // namespace
}  // namespace plimsoll::jobs::profile
