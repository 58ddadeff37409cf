/** A report as one HTML file that needs no server: the visible content, with its styles and pictures. */

/** Rules of all style sheets; they are the site's own. */
const styleText = (): string =>
  [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map(({ cssText }) => cssText)).join('\n');

/** Elements that only work with a server or a script. */
const inert = 'button, form, input, select, textarea, dialog, script, nav, [role="status"]';

/** Pictures that a script drew, as they are now. */
function keepPictures(from: Element, to: Element): void {
  const drawn = from.querySelectorAll('canvas');
  for (const [index, canvas] of [...to.querySelectorAll('canvas')].entries()) {
    const picture = document.createElement('img');
    picture.src = drawn[index]!.toDataURL('image/png');
    picture.alt = canvas.getAttribute('aria-label') ?? '';
    picture.width = drawn[index]!.clientWidth;
    canvas.replaceWith(picture);
  }
}

/** Links lead to the server of the report, never into the file. */
function resolveLinks(within: Element): void {
  for (const link of within.querySelectorAll('a[href]')) {
    const address = link.getAttribute('href')!;
    link.setAttribute('href', new URL(address, location.href).href);
    link.setAttribute('rel', 'noreferrer');
  }
}

/** `content`: the part of the page that is kept. */
export function exportHtml(content: Element, title: string, source: string): Blob {
  const copy = content.cloneNode(true) as Element;
  keepPictures(content, copy);
  for (const element of copy.querySelectorAll(inert)) element.remove();
  for (const details of copy.querySelectorAll('details')) details.setAttribute('open', '');
  resolveLinks(copy);

  const page = document.implementation.createHTMLDocument(title);
  const root = page.documentElement;
  for (const { name, value } of document.documentElement.attributes) root.setAttribute(name, value);
  const charset = page.createElement('meta');
  charset.setAttribute('charset', 'utf-8');
  const policy = page.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
  const viewport = page.createElement('meta');
  viewport.name = 'viewport';
  viewport.content = 'width=device-width, initial-scale=1';
  page.head.prepend(charset, policy, viewport);

  const main = page.createElement('main');
  Object.assign(main.style, { display: 'grid', gap: '1.5rem', maxWidth: '75rem', margin: '0 auto', padding: '2rem' });
  const heading = page.createElement('h1');
  heading.textContent = title;
  const origin = page.createElement('p');
  origin.textContent = `${source}, saved ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  main.append(heading, origin, page.importNode(copy, true));
  page.body.append(main);
  // As text: this page's policy forbids to make a style element, even for another document.
  const style = `<style>${styleText().replaceAll('</', '<\\/')}</style>`;
  const text = root.outerHTML.replace('</head>', () => `${style}</head>`);
  return new Blob([`<!doctype html>\n${text}`], { type: 'text/html' });
}
