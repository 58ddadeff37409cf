#pragma once

#include "server/jobs/kind_extras.hpp"

// Answers of the kind without a job.
namespace plimsoll::jobs::waves {

extern const KindExtras kExtras;

// A WavesCheckSpec: a user-drawn count, checked rule by rule.
tl::expected<std::string, FieldErrors> check_answer(const nlohmann::json& body,
                                                    const JobItem* item);

// A WavesReplaySpec: the changes by each new bar.
tl::expected<std::string, FieldErrors> replay_answer(const nlohmann::json& body,
                                                     const JobItem* item);

// Counts of a symbol, best first, then those in progress; see KindExtras::picture.
Result<std::string> count_picture(std::string_view row, std::int64_t number, PictureFormat format);

}  // namespace plimsoll::jobs::waves
