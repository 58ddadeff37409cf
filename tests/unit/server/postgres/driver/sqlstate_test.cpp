#include "server/postgres/driver/sqlstate.hpp"

#include <gtest/gtest.h>

namespace plimsoll::postgres {
namespace {

TEST(SqlstateTest, EveryKindOfFailureHasItsCode) {
    EXPECT_EQ(error_code("57014"), Errc::timeout);
    EXPECT_EQ(error_code("57P01"), Errc::unavailable);  // the server is being shut down
    EXPECT_EQ(error_code("53300"), Errc::unavailable);  // too many connections
    EXPECT_EQ(error_code("40001"), Errc::unavailable);  // serialisation: try again
    EXPECT_EQ(error_code("23505"), Errc::conflict);
    EXPECT_EQ(error_code("PLM01"), Errc::conflict);
    EXPECT_EQ(error_code("PLM02"), Errc::conflict);
    EXPECT_EQ(error_code("42501"), Errc::forbidden);
    EXPECT_EQ(error_code("22P02"), Errc::invalid_input);
    EXPECT_EQ(error_code("23514"), Errc::invalid_input);
    EXPECT_EQ(error_code("PLM04"), Errc::internal);  // a call for another team: our mistake
    EXPECT_EQ(error_code("42P01"), Errc::internal);  // no such table: our mistake
}

}  // namespace
}  // namespace plimsoll::postgres
