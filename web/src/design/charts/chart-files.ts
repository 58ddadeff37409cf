import { save } from './save';

export type ChartFormat = 'CSV' | 'SVG' | 'PNG';

/** A cell of a file that spreadsheets open: nothing in it is a formula, and its spaces are plain ones. */
function csvCell(shown: string): string {
  const text = shown.replaceAll('\u00a0', ' ');
  const safe = /^[=+\-@\t\r]/.test(text) && !/^[+-]?[\d.,]+/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
const csvOf = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';

/** The chart whose numbers this table holds, drawn or marked `data-drawing`: of the same figure, or of the one before it. */
export const drawingOf = (table: Element): SVGSVGElement | HTMLElement | null =>
  (table.closest('figure') ?? table.previousElementSibling)?.querySelector<SVGSVGElement | HTMLElement>('svg[role="img"], [data-drawing]') ?? null;

/** Downloads a chart as a file named after its panel. */
export async function saveChart(table: Element, format: ChartFormat, rows: readonly (readonly string[])[]): Promise<void> {
  const title = table.closest('section')?.querySelector('h2, h3')?.textContent?.trim() || document.title;
  const name = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')}.${format.toLowerCase()}`;
  if (format === 'CSV') return save(name, new Blob([csvOf(rows)], { type: 'text/csv' }));
  const { asPng, redrawn, standalone } = await import('./picture'); // few visits export a drawing
  const chart = drawingOf(table)!;
  const drawing = chart instanceof SVGSVGElement ? standalone(chart, title) : redrawn(chart, title);
  if (format === 'SVG') return save(name, new Blob([drawing], { type: 'image/svg+xml' }));
  const { width, height } = chart instanceof SVGSVGElement ? chart.getBoundingClientRect() : {};
  save(name, await asPng(drawing, width, height));
}
