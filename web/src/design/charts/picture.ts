/** Drawings of a page as files: an SVG that looks the same anywhere, and a PNG of it. */

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
  const space = 'http://www.w3.org/2000/svg';
  const ground = document.createElementNS(space, 'rect');
  ground.setAttribute('width', '100%');
  ground.setAttribute('height', '100%');
  ground.setAttribute('fill', getComputedStyle(svg.closest('section') ?? document.body).backgroundColor);
  const name = document.createElementNS(space, 'title');
  name.textContent = title;
  copy.prepend(name, ground);
  copy.setAttribute('xmlns', space);
  copy.setAttribute('role', 'img');
  copy.removeAttribute('aria-hidden');
  copy.removeAttribute('class');
  return new XMLSerializer().serializeToString(copy);
}

/** The same as pixels, twice as many as CSS pixels, so that it stays sharp in print. */
export async function asPng(drawing: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * 2;
  canvas.height = height * 2;
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be created.'))), 'image/png');
  });
}

/** Downloads a file. */
export function save(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
