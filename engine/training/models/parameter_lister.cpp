#include "engine/training/models/parameter_lister.hpp"

#include <algorithm>

namespace plimsoll::training {
namespace {

void note(std::vector<std::string>& names, std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

}  // namespace

bool ParameterLister::wraps(std::string_view name, Use use) const {
    switch (lora_.targets) {
        case Lora::Targets::all_linear: return true;
        case Lora::Targets::query_value: return use == Use::query_value;
        case Lora::Targets::modules:
            return std::ranges::find(lora_.modules, name) != lora_.modules.end();
    }
    return false;
}

void ParameterLister::linear(std::string_view name, std::int64_t in, std::int64_t out, bool bias,
                             Use use) {
    matrix(out, in);
    if (bias) vector(out);
    if (part_ != Part::layer) return;
    parameters_[parameters_.size() - (bias ? 2 : 1)].linear = true;
    note(names_.linear, name);
    if (lora_.rank == 0 || !wraps(name, use)) return;
    note(names_.wrapped, name);
    add(lora_.rank * in, true, lora_.rank, true, true);
    add(out * lora_.rank, true, out, true, true);
    if (lora_.dora) add(out, false, 0, true, true);
}

void ParameterLister::table(std::string_view name, std::int64_t rows, std::int64_t columns,
                            bool tied) {
    if (!tied) matrix(rows, columns);
    note(names_.tables, name);
    if (lora_.rank == 0 || std::ranges::find(lora_.whole, name) == lora_.whole.end()) return;
    add(rows * columns, true, rows, true, false);
    parameters_.back().copied = true;
}

void ParameterLister::add(std::int64_t n, bool is_matrix, std::int64_t rows, bool trainable,
                          bool adapter) {
    parameters_.push_back({.elements = n,
                           .layer = part_ == Part::layer ? layer_ : -1,
                           .part = part_,
                           .trainable = trainable || always_trains_,
                           .adapter = adapter,
                           .matrix = is_matrix,
                           .rows = static_cast<std::int32_t>(rows)});
}

}  // namespace plimsoll::training
