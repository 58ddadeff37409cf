#pragma once

#include "server/jobs/kind_extras.hpp"
#include "server/kinds/waves/contract/request.hpp"

#include <initializer_list>

// The single symbol of an answer.
namespace plimsoll::jobs::waves {

struct Subject {
    Request request;
    engine::SymbolPrices prices;  // without errors
};

// Prices of an item with the settings of its job, else those of the body. Other settings in the
// body override those of the job. `own`: members of the body that are neither. `takes_bars`: prices
// sent with an item are new bars, which the caller reads.
tl::expected<Subject, FieldErrors> subject_of(nlohmann::json body, const JobItem* item,
                                              std::initializer_list<const char*> own,
                                              bool takes_bars);

// The prices in the body: one symbol without errors.
tl::expected<engine::SymbolPrices, FieldErrors> one_symbol(const nlohmann::json& body,
                                                           const engine::PriceReading& reading);

}  // namespace plimsoll::jobs::waves
