#include "server/terminal/files/arguments_file.hpp"

namespace plimsoll::terminal {

Result<JobInput> read_arguments_file(const std::string& file,
                                     const std::vector<std::string>& columns) {
    if (!columns.empty())
        return fail(
            Errc::invalid_input,
            "--column, --keep and --group-by have no effect: this kind does not accept records.");
    if (!file.ends_with(".json")) {
        return fail(
            Errc::invalid_input,
            "This kind does not accept a file of records: give its arguments as .json, with "
            "--config or with --set.",
            file);
    }
    return read_input_file(file, columns);
}

}  // namespace plimsoll::terminal
