#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll {

// `text`, valid UTF-8, as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

// Writes JSON text in one forward pass, for responses built thousands of times per second, where a
// DOM would cost more than its content. The caller must match brackets and write each object value
// after its key. Text must be valid UTF-8, as everything stored is.
class JsonWriter {
  public:
    JsonWriter& begin_object() { return open('{'); }
    JsonWriter& end_object() { return close('}'); }
    JsonWriter& begin_array() { return open('['); }
    JsonWriter& end_array() { return close(']'); }

    JsonWriter& key(std::string_view name);

    JsonWriter& text(std::string_view value);
    // One string, given in two parts.
    JsonWriter& text(std::string_view start, std::string_view end);
    JsonWriter& number(std::integral auto value) {
        return integer(static_cast<std::int64_t>(value));
    }
    JsonWriter& number(double value);  // null unless finite
    JsonWriter& null() { return json("null"); }
    // A value that is already JSON text, for example from a json column.
    JsonWriter& json(std::string_view value);

    std::string take() { return std::move(out_); }

  private:
    JsonWriter& open(char bracket);
    JsonWriter& close(char bracket);
    JsonWriter& integer(std::int64_t value);
    void begin_value();

    std::string out_;
    bool comma_ = false;  // before the next key or element
};

}  // namespace plimsoll
