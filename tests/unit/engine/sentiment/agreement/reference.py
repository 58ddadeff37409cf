#!/usr/bin/env python3
"""Makes reference.json: statistics of random labels by scikit-learn and SciPy.  usage: reference.py > reference.json"""

import json

import numpy
from scipy.stats import pearsonr
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, cohen_kappa_score, confusion_matrix, f1_score, precision_recall_fscore_support

CLASSES = [0, 1, 2]
SCALE = 10000
BINS = 10


def expected_error(right, confidence):
    """From calibration_curve, weighted by the texts of a bin; its bins are closed below but for the last."""
    texts, _ = numpy.histogram(confidence, bins=numpy.linspace(0, 1, BINS + 1))
    share, mean = calibration_curve(right, confidence, n_bins=BINS)
    return float(numpy.sum(numpy.abs(share - mean) * texts[texts > 0]) / len(right))


def case(chance, texts):
    weights = chance.dirichlet([1, 1, 1])
    given = chance.choice(CLASSES, texts, p=weights)
    predicted = numpy.where(chance.random(texts) < chance.random(), given, chance.choice(CLASSES, texts, p=chance.dirichlet([1, 1, 1])))
    # Never on a bound between bins: which bin it is in there is a matter of taste.
    confidence = chance.integers(0, SCALE - 1, texts)
    confidence += (confidence % (SCALE // BINS) == 0).astype(int)
    x, y = chance.integers(-SCALE, SCALE + 1, (2, texts))
    y = numpy.where(chance.random(texts) < 0.5, x, y)
    precision, recall, f1, _ = precision_recall_fscore_support(given, predicted, labels=CLASSES, zero_division=0)
    kappa = cohen_kappa_score(given, predicted, labels=CLASSES) if len({*given, *predicted}) > 1 else None
    right = (given == predicted).astype(int)
    return {
        "table": confusion_matrix(given, predicted, labels=CLASSES).tolist(),
        "right": right.tolist(), "confidence": confidence.tolist(), "x": x.tolist(), "y": y.tolist(),
        "accuracy": accuracy_score(given, predicted), "kappa": kappa,
        "macro_f1": f1_score(given, predicted, average="macro", zero_division=0),
        "precision": precision.tolist(), "recall": recall.tolist(), "f1": f1.tolist(),
        "expected_error": expected_error(right, confidence / SCALE),
        "correlation": float(pearsonr(x, y)[0]) if len(set(x)) > 1 and len(set(y)) > 1 else None,
    }


chance = numpy.random.default_rng(20261124)
cases = [case(chance, int(texts)) for texts in [2, 3, 5, 8, 13, *chance.integers(20, 150, 12)]]
print("[" + ",\n".join(json.dumps(one) for one in cases) + "]")
