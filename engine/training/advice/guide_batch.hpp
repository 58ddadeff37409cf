#pragma once

#include "engine/training/advice/report.hpp"
#include "engine/training/guides/naics_memory.hpp"

#include <optional>
#include <string_view>

namespace plimsoll::training {

// The settings that a model's guide recommends on a card.
struct GuideBatch {
    std::string_view guide;  // its title
    std::int64_t batch = 1;
    std::int64_t accumulation = 1;
};

// Whether one of the three guides covers this model.
bool has_guide(const ModelShape& shape);

// Nothing if its guide has no batch for the card.
std::optional<GuideBatch> guide_batch(const ReportRequest& request, const GpuProfile& gpu);

// The NAICS memory guide's representation of a model of its family and of a card.
naics::Model naics_model(const ModelShape& shape, const TrainingSettings& settings);
naics::Search naics_search(const ReportRequest& request, const GpuProfile& gpu);

}  // namespace plimsoll::training
