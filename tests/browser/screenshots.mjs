// Writes pictures of every page and state, for looking at and for comparing (images/compare.mjs), at a fixed time:
// node screenshots.mjs FOLDER [PATTERN-OF-NAMES] [WIDTHS] [SCHEMES] [long]
// With "long" whatever has a name has a very long one; pages wider than their window are told.
import { now } from './support/fixed-time.mjs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, overflow } from './support/browser.mjs';
import { KeptPages } from './support/kept-pages.mjs';
import { longNamed } from './support/arrangements.mjs';
import { startFake, views } from './support/views.mjs';

const [folder = 'screenshots', pattern = '', widths = '1280,768,375', schemes = 'light,dark', names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
const pages = new KeptPages(browser, (page) => page.clock.setFixedTime(now));

/** One picture of the view, as it is after a load of its own. */
async function picture(view, scheme, width) {
  const server = await startFake(names ? longNamed(view) : view);
  const page = await pages.take(server, { ...view, scheme, width, height: width < 500 ? 800 : 900 });
  if (names) page.setDefaultTimeout(8_000);
  await page.goto(server.url + view.address);
  await view.ready(page).catch((late) => console.log(`${view.name} at ${width}: ${late.message.split('\n')[0]}`));
  // A dialog belongs to the window, and of a long list only what the window shows is drawn.
  const fullPage = (await page.locator('dialog[open], [aria-rowcount]').count()) === 0;
  if (fullPage) await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(0, 0);
  const over = await overflow(page);
  if (over > 0) console.log(`${view.name} at ${width}: ${over} px too wide`);
  await page.screenshot({ path: join(folder, `${view.name}-${width}-${scheme}.png`), fullPage });
  await pages.giveBack(page, view);
  await server.stop();
}

for (const view of views.filter(({ name }) => new RegExp(pattern).test(name))) {
  for (const scheme of schemes.split(',')) for (const width of widths.split(',').map(Number)) await picture(view, scheme, width);
}
await browser.close();
