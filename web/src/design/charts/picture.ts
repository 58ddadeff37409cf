/** Charts of a page as files: an SVG that looks the same anywhere, and a PNG of it. */

const space = 'http://www.w3.org/2000/svg';

function part(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(space, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value));
  return element;
}

const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })!;

/** Any colour of the page as programs other than browsers read it; undefined where nothing is painted. */
function asRgb(colour: string): string | undefined {
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
  return alpha === 0 ? undefined : `rgb(${red}, ${green}, ${blue})`;
}

/** What an element stands on. */
function backgroundOf(element: Element | null): string {
  return element ? (asRgb(getComputedStyle(element).backgroundColor) ?? backgroundOf(element.parentElement)) : 'white';
}

const attributes = [
  'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity', 'paint-order', 'text-anchor', 'font-size',
  'font-weight', 'font-family',
];

/** A self-contained copy of a drawing, with its colours and fonts, on the page's background. */
export function standalone(svg: SVGSVGElement, title: string): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [...svg.querySelectorAll('*')];
  for (const [index, element] of [...copy.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(originals[index]!);
    for (const name of attributes) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute('class');
  }
  copy.removeAttribute('aria-hidden');
  copy.removeAttribute('class');
  return finished(copy, title, backgroundOf(svg));
}

function finished(drawing: SVGElement, title: string, background: string): string {
  const name = document.createElementNS(space, 'title');
  name.textContent = title;
  drawing.prepend(name, part('rect', { width: '100%', height: '100%', fill: background }));
  drawing.setAttribute('xmlns', space);
  drawing.setAttribute('role', 'img');
  return new XMLSerializer().serializeToString(drawing);
}

/** A chart that the page draws with boxes and words, as a drawing of its own: all of it, also what is scrolled away. */
export function redrawn(chart: HTMLElement, title: string): string {
  const scrolled = [...chart.querySelectorAll('*')].filter(({ scrollTop, scrollLeft }) => scrollTop > 0 || scrollLeft > 0);
  const places = scrolled.map(({ scrollTop, scrollLeft }) => [scrollLeft, scrollTop] as const);
  for (const element of scrolled) element.scrollTo(0, 0); // headings that stay in view are in their own places then
  const room = 12; // around it
  const { left, top } = chart.getBoundingClientRect();
  const drawing = document.createElementNS(space, 'svg');
  let [width, height] = [0, 0];
  const place = (box: DOMRect) => {
    width = Math.max(width, Math.ceil(box.right - left) + 2 * room);
    height = Math.max(height, Math.ceil(box.bottom - top) + 2 * room);
    return { x: box.left - left + room, y: box.top - top + room };
  };
  for (const element of chart.querySelectorAll<HTMLElement>('*')) {
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const hidden = element.closest('.visually-hidden') !== null;
    const fill = hidden ? undefined : asRgb(style.backgroundColor);
    if (fill && box.width > 0) {
      drawing.append(part('rect', { ...place(box), width: box.width, height: box.height, rx: parseFloat(style.borderRadius) || 0, fill }));
    }
    for (const node of hidden ? [] : element.childNodes) {
      if (!(node instanceof Text)) continue;
      for (const { words, box: line } of linesOf(node)) {
        const { x, y } = place(line);
        const text = part('text', {
          x,
          y: y + line.height * 0.78, // the baseline
          fill: asRgb(style.color)!,
          'font-size': style.fontSize,
          'font-weight': style.fontWeight,
          'font-family': style.fontFamily,
        });
        text.textContent = words;
        drawing.append(text);
      }
    }
  }
  for (const [index, element] of scrolled.entries()) element.scrollTo(...places[index]!);
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) drawing.setAttribute(name, String(value));
  return finished(drawing, title, backgroundOf(chart));
}

/** The lines that a text is broken into, with their places. */
function linesOf(node: Text): { words: string; box: DOMRect }[] {
  const lines: { words: string; box: DOMRect }[] = [];
  const range = document.createRange();
  for (const { 0: word, index } of node.data.matchAll(/\S+\s*/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.trimEnd().length);
    for (const box of range.getClientRects()) {
      const line = lines.at(-1);
      // A word that is broken itself stands in its first line.
      if (line && Math.abs(line.box.top - box.top) < 2) {
        line.words += word;
        line.box = new DOMRect(line.box.x, line.box.y, box.right - line.box.x, line.box.height);
      } else lines.push({ words: word, box });
      break;
    }
  }
  return lines;
}

/** The same as pixels, twice as many as CSS pixels, so that it stays sharp in print. Without a size, in its own. */
export async function asPng(drawing: string, width?: number, height?: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = (width ?? image.width) * 2;
  canvas.height = (height ?? image.height) * 2;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be created.'))), 'image/png');
  });
}
