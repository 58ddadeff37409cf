#include "server/kinds/sentiment/command/measure_accuracy.hpp"

#include "server/base/programs/sibling_program.hpp"

#include <cerrno>
#include <cstring>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::jobs::sentiment {

Result<void> measure_accuracy(const std::filesystem::path& models, const std::string& model,
                              const LabelledFile& labels, bool quiet) {
    std::vector<std::string> words{sibling_program("plimsoll-engine"),
                                   "prove",
                                   model,
                                   "--models",
                                   models.string(),
                                   "--labels",
                                   labels.file};
    for (const auto& name : labels.names) {
        words.emplace_back("--label-name");
        words.push_back(name);
    }
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (quiet) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        return fail(Errc::unavailable,
                    words[0] + " cannot be started: " + std::strerror(error) + ".");
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
    return fail(Errc::unavailable, "The accuracy was not measured.");
}

}  // namespace plimsoll::jobs::sentiment
