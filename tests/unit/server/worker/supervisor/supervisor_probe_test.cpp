// Which devices get a worker: the probe, its answers and its repeats.
#include "tests/unit/server/worker/supervisor/supervisor_case.hpp"

namespace plimsoll::worker {
namespace {

TEST_F(SupervisorTest, AWorkerGetsTheProbedFeaturesOfItsDevice) {
    auto proven = device(0, opencl::DeviceState::ready);
    proven.features.push_back({"avx512_bf16", 0.1, 0.2, ""});
    start();
    answer_probe(report({proven, device(1, opencl::DeviceState::ready)}));
    const auto probed_of = [&](const std::string& device) {
        const auto& arguments = started_for(device)->arguments;
        const auto flag = std::ranges::find(arguments, "--probed");
        return flag == arguments.end() ? "" : *std::next(flag);
    };
    const auto told = opencl::probe_report_from_json(probed_of("opencl:fake:0")).value();
    ASSERT_EQ(told.devices.size(), 1U);
    EXPECT_TRUE(told.devices[0].has(opencl::Feature::avx512_bf16));
    EXPECT_EQ(probed_of("host"), "");
    started_for("opencl:fake:0")->ends("killed by SIGSEGV");
    advance(1s);
    EXPECT_EQ(starts_of("opencl:fake:0"), 2);
    EXPECT_NE(probed_of("opencl:fake:0"), "") << "the next one, too";
}

TEST_F(SupervisorTest, TheHostHasAWorkerBeforeAnyDeviceAnswers) {
    start();
    ASSERT_NE(started_for("host"), nullptr);
    EXPECT_EQ(
        started_for("host")->arguments,
        (Arguments{"worker", "--device", "host", "--heartbeat-fd", "3", "--running-fd", "4"}));
}

TEST_F(SupervisorTest, EveryReadyDeviceGetsAWorkerAndNoOther) {
    start();
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::crashed),
                device(2, opencl::DeviceState::ready)}));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
    EXPECT_EQ(starts_of("opencl:fake:1"), 0);
    EXPECT_EQ(starts_of("opencl:fake:2"), 1);
    EXPECT_EQ(reported_, std::vector<std::string>{"opencl:fake:1"});
}

TEST_F(SupervisorTest, AReportInPiecesIsRead) {
    start();
    const auto text = report({device(0, opencl::DeviceState::ready)});
    answer_probe(text.substr(0, 20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 0);
    answer_probe(text.substr(20));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, AFailedDeviceIsProbedAgainLater) {
    start();
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::hung)}));
    live(40s);
    ASSERT_EQ(starts_of("probe"), 2);
    answer_probe(
        report({device(0, opencl::DeviceState::ready), device(1, opencl::DeviceState::ready)}));
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
    EXPECT_EQ(starts_of("opencl:fake:1"), 1);
    live(600s);
    EXPECT_EQ(starts_of("probe"), 2);
}

TEST_F(SupervisorTest, AReportThatArrivesWithTheExitIsRead) {
    start();
    const auto probe = started_for("probe");
    probe->ends("");
    probe->says(report({device(0, opencl::DeviceState::ready)}));
    io_.poll();
    EXPECT_EQ(starts_of("opencl:fake:0"), 1);
}

TEST_F(SupervisorTest, AProbeThatDiesIsRepeated) {
    start();
    started_for("probe")->ends("killed by SIGSEGV");
    io_.poll();
    advance(31s);
    EXPECT_EQ(starts_of("probe"), 2);
}

}  // namespace
}  // namespace plimsoll::worker
