import { curvesOf, ratesOf, type Summary } from './words';

export interface Change {
  name: string;
  unit: string;
  before: number;
  now: number;
  /** Of the value before: 10 is a tenth more. */
  percent: number;
}

/** The measurements that both reports have, and their changes: throughput at the recommended batch, and the device's
    rates. */
export function changes(baseline: Summary, summary: Summary): Change[] {
  const before = new Map(values(baseline).map((value) => [value.name, value.value]));
  return values(summary).flatMap(({ name, unit, value }) => {
    const was = before.get(name);
    if (was === undefined || was === 0) return [];
    return [{ name, unit, before: was, now: value, percent: (value / was - 1) * 100 }];
  });
}

function values(summary: Summary): { name: string; unit: string; value: number }[] {
  const curves = curvesOf(summary).flatMap(({ key, curve }) =>
    curve.recommended_items_per_second === null
      ? []
      : [{ name: key === 'engine' ? curve.name : key, unit: `${curve.items}/s`, value: curve.recommended_items_per_second }],
  );
  const rates = ratesOf(summary.engine).map(({ rate }) => ({
    name: rate.method ? `${rate.name}, ${rate.method}` : rate.name,
    unit: rate.unit,
    value: rate.value,
  }));
  return [...curves, ...rates];
}
