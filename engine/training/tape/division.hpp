#pragma once

#include "engine/training/tape/settings.hpp"

namespace plimsoll::training {

// One card's part of a model that several cards divide, as a smaller model: every card has some of
// the heads, of the feed-forward's numbers and of the words. What all of them hold whole, such as
// norms and what is read and written between the products, keeps its width.
ModelShape part_of(ModelShape shape, const Parallel& parallel);

// What is wrong with a setting, named by a JSON pointer.
inline tl::unexpected<Error> wrong(const char* field, std::string rule) {
    return fail(Errc::invalid_input, std::move(rule), field);
}

// Whether the model can be divided so; an error names the field and the rule.
Result<void> check_division(const ModelShape& shape, const TrainingSettings& settings);

}  // namespace plimsoll::training
