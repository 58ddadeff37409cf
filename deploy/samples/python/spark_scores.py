"""Scores the column `text` of Parquet files on Spark, in the processes of its Python workers.

    pip install plimsoll pyspark pandas pyarrow
    python spark_scores.py TEXTS OUT
"""

import sys
from collections.abc import Iterator

import pandas
import plimsoll
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

COLUMNS = "label string, compound double, positive double, neutral double, negative double"


def scores(batches: Iterator[pandas.Series]) -> Iterator[pandas.DataFrame]:
    scorer = plimsoll.Scorer("vader")
    for texts in batches:
        yield scorer.score(texts).to_pandas()


def scored(spark, texts, function=scores):
    return spark.read.parquet(texts).withColumn("scores", pandas_udf(function, COLUMNS)("text")).select("*", "scores.*").drop("scores")


if __name__ == "__main__":
    scored(SparkSession.builder.getOrCreate(), sys.argv[1]).write.parquet(sys.argv[2])
