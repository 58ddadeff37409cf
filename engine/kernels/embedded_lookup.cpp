#include "engine/kernels/embedded.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace plimsoll::kernels {

std::string_view source(std::string_view name) {
    const auto kernels = embedded();
    const auto found = std::ranges::find(kernels, name, &Kernel::name);
    if (found == kernels.end()) throw std::logic_error("no kernel named " + std::string(name));
    return found->source;
}

}  // namespace plimsoll::kernels
