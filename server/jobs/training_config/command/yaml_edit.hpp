#pragma once

#include "engine/base/result.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::jobs::training_config {

// One value of a YAML text that was, or would be, replaced.
struct YamlChange {
    int line = 0;  // from 1
    std::string key;
    std::string before;
    std::string after;
};

// A value that bears a wanted name and is left as it is.
struct YamlLeft {
    int line = 0;
    std::string key;
    std::string why;
};

struct YamlEdit {
    std::string text;
    std::vector<YamlChange> changes;  // in the order of the text
    std::vector<YamlLeft> left;
};

// Replaces the scalar values of the keys in `values`, at whatever depth they stand, where they
// differ. Only their own characters change: comments, order, quotes, anchors, tags and blank lines
// stay. Empty values, blocks ("|", ">"), interpolations ("${…}") and what stands behind an alias
// are left, and named. Errors: the text is no YAML.
Result<YamlEdit> edit_yaml(std::string_view text,
                           const std::map<std::string, std::string, std::less<>>& values);

}  // namespace plimsoll::jobs::training_config
