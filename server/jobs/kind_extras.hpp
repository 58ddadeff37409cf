#pragma once

#include "server/jobs/kind.hpp"

#include <span>

// What a kind offers besides jobs.
namespace plimsoll::jobs {

// Further input of an answer: an item of an ended job, with the input of its task.
struct JobItem {
    std::string_view args;  // the plan's
    std::string_view input;
    std::int64_t index = 0;  // place of the item in the job
};

struct Answer {
    std::string_view operation;  // the operationId in openapi.yaml of a POST that answers 200
    // The body has passed the operation's schema. `item` is set if the body names one by "job_id"
    // and "index". JSON text, or errors with pointers into the body. Pure, off the I/O thread, and
    // well below a second: longer computations are refused.
    tl::expected<std::string, FieldErrors> (*make)(const nlohmann::json& body,
                                                   const JobItem* item) = nullptr;
};

enum class PictureFormat { svg, png };

struct KindExtras {
    std::span<const Answer> answers = {};
    // A picture of a result row (a JSON line), the `number`th from 1; null if the kind draws none.
    // Errc::not_found: the row has fewer; Errc::unavailable: this machine cannot draw the format.
    // Pure, off the I/O thread, some milliseconds.
    Result<std::string> (*picture)(std::string_view row, std::int64_t number,
                                   PictureFormat format) = nullptr;
    // The comparison key, in words of at most 8,192 bytes: reports with the same key are compared
    // with one another; null if reports of the kind are not compared. `args` are the plan's. Pure
    // and quick.
    std::string (*comparison_key)(const nlohmann::json& args,
                                  const nlohmann::json& summary) = nullptr;
};

}  // namespace plimsoll::jobs
