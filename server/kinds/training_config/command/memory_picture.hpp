#pragma once

#include "engine/drawing/picture.hpp"
#include "engine/training/recorded/comparison.hpp"

namespace plimsoll::jobs::training_config {

// A recorded step above the predicted one, on the same axes: what each part of memory holds, by the
// allocations of a MiB or more so far. A line marks the first one that either has alone.
drawing::Picture memory_picture(const training::RunMemory& recorded,
                                const training::RunMemory& predicted,
                                const std::optional<training::Parting>& parting);

}  // namespace plimsoll::jobs::training_config
