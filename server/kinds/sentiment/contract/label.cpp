#include "server/kinds/sentiment/contract/label.hpp"

namespace plimsoll::jobs::sentiment {

std::string_view to_string(Label label) {
    switch (label) {
        case Label::positive:
            return "positive";
        case Label::neutral:
            return "neutral";
        case Label::negative:
            return "negative";
    }
    return "";
}

}  // namespace plimsoll::jobs::sentiment
