// Writes pictures of every page and state, for looking at and for comparing (images/compare.mjs), at a fixed time:
// node screenshots.mjs FOLDER [PATTERN-OF-NAMES] [WIDTHS] [SCHEMES]
import { now } from './support/fixed-time.mjs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch } from './support/browser.mjs';
import { KeptPages } from './support/kept-pages.mjs';
import { startFake, views } from './support/views.mjs';

const [folder = 'screenshots', pattern = '', widths = '1280,768,375', schemes = 'light,dark'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const pages = new KeptPages(browser, (page) => page.clock.setFixedTime(now));

/** One picture of the view, as it is after a load of its own. */
async function picture(view, scheme, width) {
  const server = await startFake(view);
  const page = await pages.take(server, { ...view, scheme, width, height: width < 500 ? 800 : 900 });
  await page.goto(server.url + view.address);
  await view.ready(page);
  // A dialog belongs to the window, and of a long list only what the window shows is drawn.
  const fullPage = (await page.locator('dialog[open], [aria-rowcount]').count()) === 0;
  if (fullPage) await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(0, 0);
  await page.screenshot({ path: join(folder, `${view.name}-${width}-${scheme}.png`), fullPage });
  await pages.giveBack(page, view);
  await server.stop();
}

for (const view of views.filter(({ name }) => new RegExp(pattern).test(name))) {
  for (const scheme of schemes.split(',')) for (const width of widths.split(',').map(Number)) await picture(view, scheme, width);
}
await browser.close();
