#pragma once

#include "engine/training/advice/diagnosis.hpp"
#include "engine/training/advice/report.hpp"
#include "engine/training/guides/gpu_profiles_guide.hpp"
#include "engine/training/guides/naics_memory.hpp"

#include <span>
#include <string>
#include <vector>

// Plain text for terminals: the bodies of `plimsoll gpu-profiles`, `guide` and `diagnose`.
// GiB and MiB are powers of 1024.

namespace plimsoll::training::text {

std::string gigabytes(std::int64_t bytes);  // "12.34 GiB"

// The table of `list`, its header first; the guide's batches are for daily and hourly series.
std::vector<std::vector<std::string>> profile_rows(std::span<const GpuProfile> profiles);
std::string profile_details(const GpuProfile& profile);                        // test NAME
std::string recommendation(const DetectedGpu& card);                           // recommend
std::string check(const GpuProfile& profile, const gpu_guide::Check& result);  // check
std::string naics_suggestions(std::span<const naics::Suggestion> suggestions);
std::string causes(std::span<const Cause> causes);

}  // namespace plimsoll::training::text
