#pragma once

#include "server/jobs/kind.hpp"

#include <any>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace plimsoll::jobs {

// The args of a job's plan, parsed when a task first needs them. Copies share the result: all tasks
// of the job in a claim have one. Not thread-safe: one thread runs them.
class JobArgs {
  public:
    JobArgs(std::string text = "{}") : shared_(std::make_shared<Shared>(std::move(text))) {}

    const std::string& text() const { return shared_->text; }

    // Errc::corrupt: not the args of this kind and version.
    const Result<std::any>& parsed(const Run& run) const;

  private:
    struct Shared {
        explicit Shared(std::string from) : text(std::move(from)) {}
        std::string text;
        std::optional<Result<std::any>> parsed;
    };
    std::shared_ptr<Shared> shared_;
};

}  // namespace plimsoll::jobs
