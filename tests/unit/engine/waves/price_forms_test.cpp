// Price files as sites and libraries write them.
#include "engine/waves/series/price_reader.hpp"
#include "engine/waves/series/timestamps.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll::waves {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The days and closes of the first symbol, and what is said of the file.
struct Understood {
    std::string days, told;
    std::vector<double> open, close;
};
Understood understood(std::string_view text, const PriceReading& reading = {}) {
    Understood out;
    const auto read = read_prices(text, format_of_prices(text), reading, &out.told);
    if (!read) return {read.error().message, {}, {}, {}};
    const auto& prices = read->front();
    if (!prices.ok()) return {prices.errors.front().message, {}, {}, {}};
    for (const auto time : prices.series.time) out.days += format_timestamp(time) + " ";
    out.open = prices.series.open;
    out.close = prices.series.close;
    return out;
}

TEST(PriceForms, ReadsDatesAndNumbersAsSitesWriteThem) {
    const std::string days = "2024-03-20 2024-03-21 2024-03-22 ";
    for (const char* text :
         {"Date,Close/Last\n03/22/2024,$1143.5\n03/21/2024,$1147\n03/20/2024,$1120\n",
          "Datum;Schluss\r\n20.03.2024;1.120,0\r\n21.03.2024;1.147,0\r\n22.03.2024;1.143,5\r\n",
          "\"Datum\",\"Zuletzt\"\n\"22.03.2024\",\"1143,5\"\n\"21.03.2024\",\"1147,0\"\n"
          "\"20.03.2024\",\"1120,0\"\n",
          "\"Date \",\"close \"\n\"22-Mar-2024\",\"1,143.5\"\n\"21-Mar-2024\",\"1,147\"\n"
          "\"20-Mar-2024\",\"1,120\"\n",
          "Date, Close\n03/22/24,1143.5\n03/21/24,1147\n03/20/24,1120\n",
          "\"Mar 20, 2024\",1120\n\"Mar 21, 2024\",1147\n\"Mar 22, 2024\",1143.5\n",
          "<TICKER>,<PER>,<DATE>,<TIME>,<CLOSE>\nA,D,20240320,000000,1120\nA,D,20240321,000000,"
          "1147\nA,D,20240322,000000,1143.5\n",
          "<DATE>\t<TIME>\t<CLOSE>\n2024.03.20\t00:00:00\t1120\n2024.03.21\t00:00:00\t1147\n"
          "2024.03.22\t00:00:00\t1143.5\n",
          "observation_date,SP500\n2024-03-20,1120\n2024-03-21,1147\n2024-03-22,1143.5\n",
          "1710892800,1110,1150,1100,1120,9\n1710979200,1110,1150,1100,1147,9\n"
          "1711065600,1110,1150,1100,1143.5,9\n",
          "1710892800000000,1120\n1710979200000000,1147\n1711065600000000,1143.5\n",
          "sep=;\ndate;close\n2024-03-20;1120\n2024-03-21;1147\n2024-03-22;1143.5\n",
          "https://example.com\nunix,date,close\n1,2024-03-22,1143.5\n1,2024-03-21,1147\n"
          "1,2024-03-20,1120\n",
          "Price,Close,Open\nTicker,A,A\nDate,,\n2024-03-20,1120,1121\n2024-03-21,1147,1148\n"
          "2024-03-22,1143.5,1144\n"}) {
        const auto read = understood(text);
        EXPECT_EQ(read.days, days) << text;
        EXPECT_THAT(read.close, ElementsAre(1120, 1147, 1143.5)) << text;
    }
}

TEST(PriceForms, ReadsColumnsByTheNamesOfMoreSites) {
    const std::string days = "2024-03-20 2024-03-21 2024-03-22 ";
    for (const char* text :
         {"Gmt time,Open,Close\n20.03.2024 00:00:00.000,1,1120\n21.03.2024 00:00:00.000,1,1147\n"
          "22.03.2024 00:00:00.000,1,1143.5\n",
          ",Open,Close\n2024-03-20,1,1120\n2024-03-21,1,1147\n2024-03-22,1,1143.5\n",
          "Exchange Date,Net,PX_LAST\n22-Mar-2024,1,1143.5\n21-Mar-2024,1,1147\n"
          "20-Mar-2024,1,1120\n",
          "ticker,close,window_start\nA,1120,1710892800000000000\nA,1147,1710979200000000000\n"
          "A,1143.5,1711065600000000000\n",
          "v,o,c,h,l,t\n1,1110,1120,1200,1000,1710892800000\n1,1110,1147,1200,1000,1710979200000\n"
          "1,1110,1143.5,1200,1000,1711065600000\n",
          "Fecha;\xC3\x9Altimo\n20.03.2024;1.120,0\n21.03.2024;1.147,0\n22.03.2024;1.143,5\n",
          "<TICKER>,<DTYYYYMMDD>,<TIME>,<CLOSE>\nA,20240320,000000,1120\nA,20240321,000000,1147\n"
          "A,20240322,000000,1143.5\n",
          "Date,Close\n45371,1120\n45372,1147\n45373,1143.5\n",
          "Date\tClose\tVolume\nMar 22, 2024\t1,143.5\t80,210\nMar 21, 2024\t1,147\t48,123\n"
          "Mar 20, 2024\t1,120\t43,594\n",
          "Date,Close**\nWed Mar 20 2024,1120\nThu Mar 21 2024,1147\nFri Mar 22 2024,1143.5\n",
          "Date,Settle\n\"Wednesday, March 20, 2024\",1120,\n\"Thursday, March 21, 2024\",1147,\n"
          "\"Friday, March 22, 2024\",1143.5,\n",
          "\"Дата\",\"Цена\",\"Откр.\"\n\"20.03.2024\",\"1.120,0\",\"1,0\"\n"
          "\"21.03.2024\",\"1.147,0\",\"1,0\"\n\"22.03.2024\",\"1.143,5\",\"1,0\"\n",
          "Tarih;Şimdi;Açılış\n20.03.2024;1.120,0;1,0\n21.03.2024;1.147,0;1,0\n"
          "22.03.2024;1.143,5;1,0\n",
          "날짜,종가,시가\n2024-03-20,1120,1\n2024-03-21,1147,1\n2024-03-22,1143.5,1\n",
          "Security,X\nStart,2024\nPeriod,D\nCurrency,EUR\n,\nSource,Y\nNotes,Z\nDate,PX_LAST\n"
          "2024-03-20,1120\n2024-03-21,1147\n2024-03-22,1143.5\n"}) {
        const auto read = understood(text);
        EXPECT_EQ(read.days, days) << text;
        EXPECT_THAT(read.close, ElementsAre(1120, 1147, 1143.5)) << text;
    }
    EXPECT_EQ(understood("Date,Close\n45371.25,1\n45371.5,2\n").days,
              "2024-03-20T06:00:00Z 2024-03-20T12:00:00Z ");
}

// As R, MetaTrader 4, thinkorswim, Chinese, Japanese and Korean sites and programs write them.
TEST(PriceForms, ReadsTablesOfMorePrograms) {
    const std::string days = "2024-03-20 2024-03-21 2024-03-22 ";
    for (const char* text :
         {"A;20/03/24;1110,0;1200,0;1100,0;1120,0;9\nA;21/03/24;1110,0;1200,0;1100,0;1147,0;9\n"
          "A;22/03/24;1110,0;1200,0;1100,0;1143,5;9\n",
          "Date,Close\n2024-03-20,1120p\n2024-03-21,\"1,147p\"\n2024-03-22,1143.5p\n",
          "Date,Open,Close\n2024-03-20,1,1120\n2024-03-21,#N/A N/A,#N/A N/A\n2024-03-21,1,1147\n"
          "2024-03-22,0.24 Dividend,\n2024-03-22,1,1143.5\n",
          "date,1. open,4. close\n2024-03-20,1,1120\n2024-03-21,1,1147\n2024-03-22,1,1143.5\n",
          "Date;Closing Price (c);Volume\n2024/03/22;1 143,5;9\n2024/03/21;1 147,0;9\n"
          "2024/03/20;1 120,0;9\n",
          "\"\",\"A.Open\",\"A.Close\",\"A.Volume\"\n\"2024-03-20\",1,1120,9\n\"2024-03-21\",1,"
          "1147,9\n"
          "\"2024-03-22\",1,1143.5,9\n",
          "Date,Close_A,Adj Close_A\n2024-03-20,1120,1\n2024-03-21,1147,1\n2024-03-22,1143.5,1\n",
          "2024.03.20,00:00,1130,1200,1100,1120,9\n2024.03.21,00:00,1130,1200,1100,1147,9\n"
          "2024.03.22,00:00,1130,1200,1100,1143.5,9\n",
          "Year,Month,Day,Close\n2024,3,20,1120\n2024,3,21,1147\n2024,3,22,1143.5\n",
          "Date        Open  Close\n2024-03-20     1   1120\n2024-03-21     1   1147\n"
          "2024-03-22     1 1143.5\n",
          "日付,終値\n2024年3月20日,1120\n2024年3月21日,1147\n2024年3月22日,1143.5\n",
          "일자,종가\n2024년 3월 20일,1120\n2024년 3월 21일,1147\n2024년 3월 22일,1143.5\n",
          "Date,Close\n2024-03-20,1120 USD\n2024-03-21,USD 1147\n2024-03-22,\"1,143.5EUR\"\n",
          "Date,Close,N\n2024-03-20,1120,1\n2024-03-21,1147,1\n2024-03-22,1143.5,1\n3\n"}) {
        const auto read = understood(text);
        EXPECT_EQ(read.days, days) << text;
        EXPECT_THAT(read.close, ElementsAre(1120, 1147, 1143.5)) << text;
    }
    EXPECT_EQ(understood("Year,Month,Close\n2024,1,5\n2024,Feb,6\n").days,
              "2024-01-01 2024-02-01 ");
    EXPECT_EQ(understood("Date,Time,Close\n3/20/24,9:30 PM UTC,5\n").days, "2024-03-20T21:30:00Z ");
    EXPECT_EQ(understood("time,price\n1710892800.25,5\n1710892801.75,6\n").days,
              "2024-03-20 2024-03-20T00:00:01Z ");
    EXPECT_THAT(understood("Date,Close\n2010.01,5\n").days, HasSubstr("cannot be used"));
    EXPECT_THAT(understood("Date,Close\nnan,5\n").days, HasSubstr("cannot be used"));
    EXPECT_EQ(understood("Adj Close\n5\n6\n").close.size(), 2u);
}

// Yahoo, Alpha Vantage, Kraken, Binance, Coinbase, KuCoin, CoinGecko, Polygon, Twelve Data, Alpaca,
// FMP and pandas (by columns, split, by dates).
TEST(PriceForms, ReadsAnswersOfServices) {
    const std::string days = "2024-03-20 2024-03-21 2024-03-22 ";
    for (const char* text :
         {R"j({"chart":{"error":null,"result":[{"meta":{"symbol":"A","n":1},
              "timestamp":[1710892800,1710979200,1711065600],
              "indicators":{"adjclose":[{"adjclose":[1,2,3]}],
              "quote":[{"open":[1110,1110,1110],"close":[1120,1147,1143.5]}]}}]}})j",
          R"j({"Meta Data":{"2. Symbol":"A"},"Time Series (Daily)":
              {"2024-03-22":{"1. open":"1110","4. close":"1143.5"},
               "2024-03-21":{"1. open":"1110","4. close":"1147"},
               "2024-03-20":{"1. open":"1110","4. close":"1120"}}})j",
          R"j({"error":[],"result":{"XXBTZUSD":[
              [1710892800,"1110","1200","1100","1120","9","1",2],
              [1710979200,"1110","1200","1100","1147","9","1",2],
              [1711065600,"1110","1200","1100","1143.5","9","1",2]],"last":1711065600}})j",
          R"j([[1710892800000,"1110.0","1200","1100","1120","9",1710979199999],
              [1710979200000,"1110","1200","1100","1147","9",1711065599999],
              [1711065600000,"1110","1200","1100","1143.5","9",1711151999999]])j",
          R"j([[1711065600,1100,1200,1110,1143.5,9],[1710979200,1100,1200,1110,1147,9],
              [1710892800,1100,1200,1110,1120,9]])j",
          R"j({"code":"200000","data":[["1711065600","1110","1143.5","1200","1100","9","1"],
              ["1710979200","1110","1147","1200","1100","9","1"],
              ["1710892800","1110","1120","1200","1100","9","1"]]})j",
          R"j({"prices":[[1710892800000,1120],[1710979200000,1147],[1711065600000,1143.5]],
              "market_caps":[[1710892800000,1],[1710979200000,1],[1711065600000,1]],
              "total_volumes":[[1710892800000,9],[1710979200000,9],[1711065600000,9]]})j",
          R"j({"ticker":"A","results":[{"o":1110,"c":1120,"h":1200,"l":1100,"t":1710892800000},
              {"o":1110,"c":1147,"h":1200,"l":1100,"t":1710979200000},
              {"o":1110,"c":1143.5,"h":1200,"l":1100,"t":1711065600000}]})j",
          R"j({"meta":{"symbol":"A"},"values":[{"datetime":"2024-03-22","close":"1143.5"},
              {"datetime":"2024-03-21","close":"1147"},
              {"datetime":"2024-03-20","close":"1120"}]})j",
          R"j({"bars":{"A":[{"t":"2024-03-20","c":1120},{"t":"2024-03-21","c":1147},
              {"t":"2024-03-22","c":1143.5}],"B":[{"t":"2024-03-20","c":7,"vw":7}]}})j",
          R"j({"symbol":"A","historical":[{"date":"2024-03-22","close":1143.5,"label":"x"},
              {"date":"2024-03-21","close":1147},{"date":"2024-03-20","close":1120}]})j",
          R"j({"Close":{"1710892800000":1120,"1710979200000":1147,"1711065600000":1143.5},
              "Open":{"1710892800000":1110,"1710979200000":1110,"1711065600000":1110}})j",
          R"j({"columns":["Open","Close"],"index":[1710892800000,1710979200000,1711065600000],
              "data":[[1110,1120],[1110,1147],[1110,1143.5]]})j",
          R"j({"2024-03-20":1120,"2024-03-21":1147,"2024-03-22":1143.5})j"}) {
        const auto read = understood(text);
        EXPECT_EQ(read.days, days) << text;
        EXPECT_THAT(read.close, ElementsAre(1120, 1147, 1143.5)) << text;
        if (std::string_view(text).find("1110") != std::string_view::npos)
            EXPECT_THAT(read.open, ElementsAre(1110, 1110, 1110)) << text;
    }
    EXPECT_EQ(
        understood("[[1711065600,1100,1200,1110,1150],[1710979200,1100,1200,1110,1147]]").told,
        "no names: date, low, high, open, close, newest first");
    for (const char* none : {"[1,2]", R"j({"data":[{"id":1}]})j", "[[1,2,3],[4,5,6]]", "[]", "{}"})
        EXPECT_TRUE(understood(none).close.empty()) << none;
}

TEST(PriceForms, ReadsWhatOlderSpreadsheetsSave) {
    const auto western = understood(
        "Datum;Er\xF6"
        "ffnung;Hoch;Tief;Schluss\n20.03.2024;7;9;1;5\n");
    EXPECT_EQ(western.told, "Windows-1252, \"20.03.2024\" is 2024-03-20");
    EXPECT_THAT(western.open, ElementsAre(7));
    const auto chinese = understood("\xC8\xD5\xC6\xDA,\xCA\xD5\xC5\xCC\xBC\xDB\n2024-03-20,5\n");
    EXPECT_EQ(chinese.told, "GB18030");
    EXPECT_THAT(chinese.close, ElementsAre(5));
    EXPECT_EQ(understood("\x93\xFA\x95t,\x8FI\x92l\n2024-03-20,5\n").told, "CP932");
    EXPECT_EQ(understood("\xC0\xCF\xC0\xDA,\xC1\xBE\xB0\xA1\n2024-03-20,5\n").told, "CP949");
    EXPECT_EQ(understood("\xA4\xE9\xB4\xC1,\xA6\xAC\xBD\x4C\xBB\xF9\n2024-03-20,5\n").told, "Big5");
    EXPECT_THAT(understood("Date,Close\n2024-03-20,5\nM\xFCller\n").close, ElementsAre(5));
}

TEST(PriceForms, ReadsMonthsAsTheirFirstDay) {
    for (const char* text :
         {"Date,Close\nJan-24,1\nFeb-24,2\n", "Date,Close\nJanuary 2024,1\nFebruary 2024,2\n",
          "Month,Close\n2024-01,1\n2024-02,2\n", "Date;Close\n01/2024;1\n02/2024;2\n"})
        EXPECT_EQ(understood(text).days, "2024-01-01 2024-02-01 ") << text;
    // A rate of exchange is none.
    EXPECT_EQ(understood("mid,close\n1.2024,5\n1.2025,6\n").days, "");
}

TEST(PriceForms, LeavesOutWhatIsBehindTheLastBar) {
    const std::string bars = "Date,Close\n2024-03-20,1\n2024-03-21,2\n";
    for (const char* end : {"Total: 2\n", "\nAverage,1.5\n", "\"From X, all rights\"\n"}) {
        const auto read = understood(bars + end);
        EXPECT_THAT(read.close, ElementsAre(1, 2)) << end;
        EXPECT_EQ(read.told, "1 line behind the last bar left out") << end;
    }
    EXPECT_THAT(understood("# made by X\n" + bars + "# end\n").close, ElementsAre(1, 2));
    EXPECT_THAT(understood(bars + "Average,1\n2024-03-22,3\n").days, HasSubstr("cannot be used"));
    EXPECT_THAT(understood("date,close\nyesterday,1\n").days, HasSubstr("cannot be used"));
}

TEST(PriceForms, ReadsEachTickersColumns) {
    const auto read =
        *read_prices("Price,Close,Close\nTicker,A,B\nDate,,\n2024-03-20,1,2\n2024-03-21,3,4\n",
                     PriceFormat::csv, {});
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(read[1].series.symbol, "B");
    EXPECT_THAT(read[1].series.close, ElementsAre(2, 4));
    EXPECT_EQ(
        *read_prices(",A.Close,BRK.B.Open,BRK.B.Close\n2024-03-20,1,2,3\n", PriceFormat::csv, {})
             ->back()
             .series.open.data(),
        2);
}

TEST(PriceForms, LeavesOutRowsWithoutPricesAndSaysSo) {
    const auto read =
        understood("Date,Close\n2024-03-22,3\n2024-03-21,NaN\n2024-03-20,.\n2024-03-19,1\n");
    EXPECT_THAT(read.close, ElementsAre(1, 3));
    EXPECT_EQ(read.told, "2 rows without prices left out, newest first");
}

TEST(PriceForms, SaysHowAnUnusualFileWasUnderstood) {
    EXPECT_EQ(understood("Datum;Schluss\n13.03.2024;1,5\n").told,
              "decimal comma, \"13.03.2024\" is 2024-03-13");
    EXPECT_EQ(understood("date,close\n2024-03-20,1\n").told, "");
}

TEST(PriceForms, SaysThatThereAreNoDatesAndWhichColumnsHaveNoNames) {
    EXPECT_EQ(
        understood("A title\n\nby,somebody\n\nDatum;Schluss\n20.03.2024;1,5\n21.03.2024;1,6\n")
            .told,
        "names in line 5, decimal comma, \"20.03.2024\" is 2024-03-20");
    EXPECT_EQ(understood("Quarter,Close\n1990Q1,5\n1990Q2,6\n").told, "no dates");
    EXPECT_EQ(understood("C,20240320,11,12,10,11,9\nC,20240321,11,12,10,11,9\n").told,
              "no names: symbol, date, open, high, low, close, \"20240320\" is 2024-03-20");
    EXPECT_EQ(understood("2024-03-20,11,12\n", {.close_column = "#3"}).told, "no names: close");
    EXPECT_EQ(understood("11\n12.5\n13\n").told, "no names: close, no dates");
    for (const auto& read :
         {understood("11\n12.5\n13\n"), understood("11\n12.5\n13\n", {.close_column = "#1"}),
          understood("7;11\n7;12.5\n7;13\n", {.close_column = "#2"})})
        EXPECT_THAT(read.close, ElementsAre(11, 12.5, 13));
    EXPECT_THAT(understood("2\nDate,Close\n2024-03-20,11\n2024-03-21,12\n").close,
                ElementsAre(11, 12));
    EXPECT_THAT(understood("7,11\n7,12\n").days, HasSubstr("the file has no line of names"));
}

// Every row of a document is written with the names of all: many would multiply its size.
TEST(PriceForms, ReadsNoDocumentWhoseTablesHaveNamesWithoutEnd) {
    const auto of = [](int tables) {
        std::string text;
        for (int i = 0; i < tables; ++i)
            text += (i == 0 ? "{" : ",") + ("\"s" + std::to_string(i)) + R"(":[{"close":1,"x)" +
                    std::to_string(i) + "\":1},{\"close\":2}]";
        return text + "}";
    };
    EXPECT_THAT(understood(of(20)).close, ElementsAre(1, 2));
    EXPECT_THAT(understood(of(4000)).close, ElementsAre());
}

TEST(PriceForms, AsksWhereTwoReadingsArePossible) {
    EXPECT_THAT(understood("Date,Close\n01/02/2024,3\n01/03/2024,4\n").days,
                HasSubstr("the day or the month first?"));
    EXPECT_EQ(understood("Date,Close\n01/02/2024,3\n02/02/2024,4\n01/03/2024,4\n").days,
              "2024-02-01 2024-02-02 2024-03-01 ");
    EXPECT_THAT(understood("Date;Close\n2024-03-20;1,234\n").days, HasSubstr("decimal comma?"));
    EXPECT_THAT(understood("1710892800,5,6,7\n").days, HasSubstr("Give the columns' numbers"));
    EXPECT_THAT(understood("1710892800,5,6,7\n", {.date_column = "#1", .close_column = "#4"}).close,
                ElementsAre(7));
}

}  // namespace
}  // namespace plimsoll::waves
