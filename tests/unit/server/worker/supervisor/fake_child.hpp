#pragma once

#include "server/worker/base/timer.hpp"
#include "server/worker/supervisor/child.hpp"

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::worker {

// A test's view and control of a child; outlives the child.
struct ChildScript {
    explicit ChildScript(const boost::asio::any_io_executor& executor)
        : changed(executor), spoke(executor) {}

    std::vector<std::string> arguments;
    std::vector<int> signals;
    std::string unread;
    std::optional<std::string> end;  // how it ended
    bool obeys_sigterm = true;
    Event changed;
    Event spoke;

    void ends(std::string how) {
        end = std::move(how);
        changed.set();
    }
    void says(const std::string& text) {
        unread += text;
        spoke.set();
    }
};

class FakeChild final : public Child {
  public:
    explicit FakeChild(std::shared_ptr<ChildScript> script) : script_(std::move(script)) {}

    boost::asio::awaitable<std::string> ended() override {
        while (!script_->end) co_await script_->changed.wait();
        co_return *script_->end;
    }
    boost::asio::awaitable<void> wrote() override {
        while (script_->unread.empty()) co_await script_->spoke.wait();
    }
    std::string read() override { return std::exchange(script_->unread, {}); }
    void signal(int number) override {
        script_->signals.push_back(number);
        if (number == SIGKILL) script_->ends("killed by SIGKILL");
        if (number == SIGTERM && script_->obeys_sigterm) script_->ends("");
    }

  private:
    std::shared_ptr<ChildScript> script_;
};

}  // namespace plimsoll::worker
