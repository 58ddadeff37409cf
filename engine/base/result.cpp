#include "engine/base/result.hpp"

#include "engine/base/words.hpp"

namespace plimsoll {

std::string_view to_string(Errc code) {
    constexpr Word<Errc> kWords[] = {
        {"invalid_input", Errc::invalid_input},
        {"unauthenticated", Errc::unauthenticated},
        {"forbidden", Errc::forbidden},
        {"not_found", Errc::not_found},
        {"conflict", Errc::conflict},
        {"too_large", Errc::too_large},
        {"exhausted", Errc::exhausted},
        {"unavailable", Errc::unavailable},
        {"timeout", Errc::timeout},
        {"cancelled", Errc::cancelled},
        {"corrupt", Errc::corrupt},
        {"internal", Errc::internal},
    };
    return text_of(kWords, code);
}

}  // namespace plimsoll
