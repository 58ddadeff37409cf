import type { components } from '../../../api/schema';

type Point = components['schemas']['TrainingCurvePoint'];

/** The curve with points put in where two neighbours lie far apart. */
export function between(points: readonly Point[]): Point[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    if (!next) return [point];
    const steps = Math.min(8, Math.max(1, Math.round(Math.log2(next.batch / point.batch) * 4)));
    return Array.from({ length: steps }, (_, step) => mix(point, next, (next.batch / point.batch) ** (step / steps)));
  });
}

/** The point at `factor` times the batch of the first. */
function mix(from: Point, to: Point, factor: number): Point {
  const batch = from.batch * factor;
  const share = (batch - from.batch) / (to.batch - from.batch);
  const seconds_per_batch = from.seconds_per_batch + share * (to.seconds_per_batch - from.seconds_per_batch);
  return {
    batch,
    seconds_per_batch,
    reserved_bytes: from.reserved_bytes + share * (to.reserved_bytes - from.reserved_bytes),
    samples_per_second: batch / seconds_per_batch,
  };
}
