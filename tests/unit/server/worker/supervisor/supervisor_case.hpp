#pragma once

#include "engine/opencl/probing/capability.hpp"
#include "server/worker/supervisor/supervisor.hpp"
#include "tests/unit/server/worker/base/fake_timer.hpp"
#include "tests/unit/server/worker/supervisor/fake_child.hpp"

#include <exception>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace plimsoll::worker {

using namespace std::chrono_literals;
using Arguments = std::vector<std::string>;

inline opencl::Capability device(int index, opencl::DeviceState state) {
    opencl::Capability capability;
    capability.info.address = {"fake", index};
    capability.state = state;
    return capability;
}

inline std::string report(std::vector<opencl::Capability> devices) {
    return to_json(opencl::ProbeReport{std::move(devices), {}}) + "\n";
}

// A supervisor whose children are controlled by the test.
class SupervisorTest : public testing::Test {
  protected:
    void start() {
        boost::asio::co_spawn(io_, supervisor_.run(), [this](const std::exception_ptr& thrown) {
            EXPECT_FALSE(thrown);
            ended_ = true;
        });
        io_.poll();
    }
    void TearDown() override {
        if (ended_) return;
        supervisor_.stop();
        for (const auto& child : children_) child->ends("");
        io_.poll();
        EXPECT_TRUE(ended_);
    }

    void advance(std::chrono::milliseconds by) {
        for (auto left = by; left > 0ms; left -= 500ms) {
            timer_.advance(std::min(left, 500ms));
            io_.poll();
        }
    }
    // Time passes and every worker sends heartbeats.
    void live(std::chrono::seconds time) {
        for (auto left = time; left > 0s; left -= 10s) {
            for (const auto& child : children_)
                if (child->arguments.front() == "worker") child->says("+");
            advance(10s);
        }
    }
    void answer_probe(const std::string& text) {
        started_for("probe")->says(text);
        io_.poll();
    }

    // The youngest child that was started with this argument, or null.
    std::shared_ptr<ChildScript> started_for(const std::string& argument) const {
        std::shared_ptr<ChildScript> youngest;
        for (const auto& child : children_)
            if (std::ranges::find(child->arguments, argument) != child->arguments.end())
                youngest = child;
        return youngest;
    }
    // Each in turn, after its preceding pause.
    void die(const std::string& device, int times) {
        for (int i = 0; i < times; ++i) {
            started_for(device)->ends("killed by SIGSEGV");
            io_.poll();
            if (i + 1 < times) live(60s);
        }
    }
    std::ptrdiff_t starts_of(const std::string& argument) const {
        return std::ranges::count_if(children_, [&](const auto& child) {
            return std::ranges::find(child->arguments, argument) != child->arguments.end();
        });
    }

    boost::asio::io_context io_{1};
    FakeTimer timer_;
    std::vector<std::shared_ptr<ChildScript>> children_;
    Supervisor supervisor_{
        io_.get_executor(),
        [this](const Arguments& arguments, int,
               const Redirections&) -> Result<std::unique_ptr<Child>> {
            children_.push_back(std::make_shared<ChildScript>(io_.get_executor()));
            children_.back()->arguments = arguments;
            return std::make_unique<FakeChild>(children_.back());
        },
        [this](const opencl::Capability& device) -> awaitable<void> {
            reported_.push_back(to_string(device.info.address));
            reason_ = device.reason;
            co_return;
        },
        timer_, [] { return 0.0; }};
    std::vector<std::string> reported_;
    std::string reason_;  // of the last report
    bool ended_ = false;
};

}  // namespace plimsoll::worker
