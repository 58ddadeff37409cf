#include "server/jobs/waves/command/symbol_list.hpp"

#include "server/terminal/files/input_file.hpp"

#include <algorithm>
#include <sstream>

namespace plimsoll::jobs::waves {

Result<std::set<std::string>> wanted_symbols(const std::vector<std::string>& given) {
    std::set<std::string> symbols;
    for (const std::string& name : given) {
        if (!name.ends_with(".txt")) {
            symbols.insert(name);
            continue;
        }
        const auto text = terminal::read_text(name);
        if (!text) return fail(text.error());
        std::istringstream lines(*text);
        const std::size_t before = symbols.size();
        for (std::string line; std::getline(lines, line);) {
            line.resize(std::min(line.size(), line.find('#')));
            std::ranges::replace(line, ',', ' ');
            std::istringstream words(line);
            for (std::string word; words >> word;) symbols.insert(word);
        }
        if (symbols.size() == before)
            return fail(Errc::invalid_input, "The file lists no symbols.", name);
    }
    return symbols;
}

}  // namespace plimsoll::jobs::waves
