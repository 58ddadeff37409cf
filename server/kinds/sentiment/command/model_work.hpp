#pragma once

#include "engine/base/result.hpp"
#include "engine/base/watch.hpp"
#include "engine/models/manifest.hpp"
#include "server/terminal/command_context.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

// A model with what the guard found of its forms, over several lines.
std::string details_of(const models::Manifest& model);

std::string joined(const std::vector<std::string>& words);  // "positive, negative"
std::string size_text(std::uint64_t bytes);                 // "438 MB"

struct LabelledFile {
    std::string file;                // empty: nothing is measured
    std::vector<std::string> names;  // of labels: own=positive
};

// Runs `plimsoll-engine prove` on a model of the folder and on labelled texts: this program links
// no OpenCL. Its output goes to standard error if `quiet`. Errc::unavailable: it failed and printed
// the reason.
Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet);

// How work on a model reports its progress.
enum class ProgressStyle {
    bar,    // to people
    lines,  // to programs: {"title", "done", "total"}, bytes, one JSON object per line
};

// Runs `work` and reports its progress, counted in bytes. SIGINT and SIGTERM stop it:
// Errc::cancelled.
Result<models::Manifest> watched(const terminal::CommandContext& context, ProgressStyle style,
                                 const std::string& title, std::uint64_t bytes,
                                 const std::function<Result<models::Manifest>(const Watch&)>& work);

}  // namespace plimsoll::jobs::sentiment
