#include "server/kinds/sentiment/run/reading.hpp"

#include "server/kinds/sentiment/contract/settings.hpp"
#include "server/kinds/sentiment/contract/texts.hpp"

#include <nlohmann/json.hpp>

namespace plimsoll::jobs::sentiment {

Reading reading_of(const nlohmann::json& args, const KindSettings& settings) {
    return {.texts = args.value("batch_size", most_texts(settings)),
            .windows = args.value("long_texts", "") == kInWindows};
}

}  // namespace plimsoll::jobs::sentiment
