#include "server/queue/dataset.hpp"

#include <algorithm>
#include <array>

namespace plimsoll::queue {
namespace {

constexpr std::array<std::string_view, 3> kDatasetStates = {"uploading", "ready", "failed"};

}  // namespace

std::string_view to_string(DatasetState state) {
    return kDatasetStates.at(static_cast<std::size_t>(state));
}

std::optional<DatasetState> parse_dataset_state(std::string_view text) {
    const auto found = std::ranges::find(kDatasetStates, text);
    if (found == kDatasetStates.end()) return std::nullopt;
    return static_cast<DatasetState>(found - kDatasetStates.begin());
}

}  // namespace plimsoll::queue
