#pragma once

#include "server/jobs/offer.hpp"

// What the kind answers without a job.
namespace plimsoll::jobs::waves {

extern const Offer kOffer;

// A WavesCheckSpec: a count that somebody drew, rule by rule.
tl::expected<std::string, FieldErrors> check_answer(const nlohmann::json& body,
                                                    const JobItem* item);

// A WavesReplaySpec: what each new bar changed.
tl::expected<std::string, FieldErrors> replay_answer(const nlohmann::json& body,
                                                     const JobItem* item);

// Counts of a symbol, best first, then those in progress; see Offer::picture.
Result<std::string> count_picture(std::string_view row, std::int64_t number, PictureFormat format);

}  // namespace plimsoll::jobs::waves
