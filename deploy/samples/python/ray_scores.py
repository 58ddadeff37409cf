"""Scores the column `text` of Parquet files on a Ray cluster, in the actors' own processes: no server, no copies of texts.

    pip install plimsoll 'ray[data]'
    python ray_scores.py TEXTS OUT
"""

import sys

import plimsoll
import pyarrow
import ray


BATCH = 16_384  # texts; each call costs a fraction of a millisecond besides them


class Score:
    def __init__(self):
        self.scorer = plimsoll.Scorer("vader")

    def __call__(self, batch):
        scores = self.scorer.score(batch["text"]).to_arrow()
        return pyarrow.Table.from_arrays([*batch.columns, *scores.columns], [*batch.column_names, *scores.column_names])


def scored(texts, actors=2):
    # One actor at first: if actors held all processors from the start, nothing would be read, ever.
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=actors)
    return ray.data.read_parquet(texts).map_batches(Score, batch_format="pyarrow", batch_size=BATCH, compute=pool)


if __name__ == "__main__":
    scored(sys.argv[1]).write_parquet(sys.argv[2])
