#pragma once

#include "engine/models/manifest.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::jobs::sentiment {

// A model with what the guard found of its forms, over several lines.
std::string details_of(const models::Manifest& model);

std::string joined(const std::vector<std::string>& words);  // "positive, negative"
std::string size_text(std::uint64_t bytes);                 // "438 MB"

}  // namespace plimsoll::jobs::sentiment
