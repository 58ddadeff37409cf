import { getContext, setContext } from 'svelte';
import type { Scale } from './plot';

/** The pointer's position in one chart: every chart over the same axis shows its values there. */
export class Crosshair {
  at = $state<number>();
}

const key = Symbol('crosshair');

/** One for all charts below this component. */
export const shareCrosshair = (): Crosshair => setContext(key, new Crosshair());

/** The one that a component above shares, or one of its own. */
export const crosshair = (): Crosshair => getContext<Crosshair | undefined>(key) ?? new Crosshair();

/** The value that stands nearest to the pointer in a drawing as wide as its view box. */
export function pointedAt(event: PointerEvent, values: readonly number[], x: Scale): number | undefined {
  const drawing = (event.currentTarget as Element).closest('svg')!;
  const place = event.clientX - drawing.getBoundingClientRect().left;
  return nearest(values, (value) => Math.abs(x(value) - place));
}

/** The value with the shortest distance. */
export function nearest(values: readonly number[], distance: (value: number) => number): number | undefined {
  return values.reduce<number | undefined>((best, value) => (best === undefined || distance(value) < distance(best) ? value : best), undefined);
}
