#include "engine/opencl/probing/capability.hpp"
#include "server/worker/base/processor_wait.hpp"
#include "server/worker/base/worker_info.hpp"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace plimsoll::worker {
namespace {

jobs::Capabilities translate(const jobs::KindSettings& /*settings*/,
                             const opencl::Capability* device) {
    if (device == nullptr) return {};
    return {.names = {"language de", "language fr"}, .advertisement = R"({"languages":2})"};
}
jobs::Capabilities count(const jobs::KindSettings& /*settings*/,
                         const opencl::Capability* /*device*/) {
    return {.names = {"abacus"}, .advertisement = ""};
}

TEST(Capabilities, AreThoseOfAllKinds) {
    const std::array kinds = {jobs::Run{.name = "plain"},
                              jobs::Run{.name = "translate", .capabilities = translate},
                              jobs::Run{.name = "count", .capabilities = count}};
    queue::WorkerInfo info;
    opencl::Capability capability;
    capability.info.address = {"pocl", 0};
    info.capability = to_json(capability);
    describe_capabilities(kinds, jobs::kDefaultSettings, info);
    EXPECT_EQ(info.capabilities,
              (std::vector<std::string>{"language de", "language fr", "abacus"}));
    EXPECT_EQ(nlohmann::json::parse(info.advertisements),
              (nlohmann::json{{"translate", {{"languages", 2}}}}));
    info.capability = R"({"device":"host","state":"ready"})";
    describe_capabilities(kinds, jobs::kDefaultSettings, info);
    EXPECT_EQ(info.capabilities, (std::vector<std::string>{"abacus"}));
    EXPECT_EQ(info.advertisements, "");
}

using namespace std::chrono_literals;

TEST(ProcessorWait, GrowsWhereMoreThreadsComputeThanThereAreProcessors) {
    if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "not counted here";
    ProcessorWait wait;
    wait.restart();
    std::atomic<bool> over = false;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 3 * std::thread::hardware_concurrency(); ++i) {
        threads.emplace_back([&over] {
            while (!over) {
            }
        });
    }
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (wait.longest() < 50ms && std::chrono::steady_clock::now() < limit) {
    }
    EXPECT_GE(wait.longest(), 50ms);
    over = true;
    for (auto& thread : threads) thread.join();
    wait.restart();
    EXPECT_LT(wait.longest(), 50ms);
}

TEST(ProcessorWait, IsZeroIfNothingIsKnown) {
    const ProcessorWait wait("/no/such/folder");
    EXPECT_EQ(wait.longest(), 0ns);
}

}  // namespace

}  // namespace plimsoll::worker
