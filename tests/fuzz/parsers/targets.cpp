#include "tests/fuzz/parsers/targets.hpp"

#include <algorithm>

namespace plimsoll::fuzz {

void give_request(std::string_view text);
void give_job_spec(std::string_view text);
void give_records(std::string_view text);
void give_cron(std::string_view text);
void give_secrets(std::string_view text);
void give_prices(std::string_view text);
void give_tensors(std::string_view text);
void give_tokenizers(std::string_view text);
void give_configs(std::string_view text);
void give_streams(std::string_view text);
void give_provider(std::string_view text);

std::span<const Target> targets() {
    static constexpr Target kTargets[] = {{"configs", give_configs},      {"cron", give_cron},
                                          {"job_spec", give_job_spec},    {"prices", give_prices},
                                          {"provider", give_provider},    {"records", give_records},
                                          {"request", give_request},      {"secrets", give_secrets},
                                          {"streams", give_streams},      {"tensors", give_tensors},
                                          {"tokenizers", give_tokenizers}};
    return kTargets;
}

const Target* find_target(std::string_view name) {
    const auto all = targets();
    const auto found = std::ranges::find(all, name, &Target::name);
    return found == all.end() ? nullptr : &*found;
}

}  // namespace plimsoll::fuzz
