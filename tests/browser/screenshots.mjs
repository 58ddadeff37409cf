// Writes pictures of every page and state, for looking at and for comparing (images/compare.mjs), at a fixed time:
// node screenshots.mjs FOLDER [PATTERN-OF-NAMES] [WIDTHS]
import { now } from './support/fixed-time.mjs';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launch, openPage, signIn } from './support/browser.mjs';
import { startFake, views } from './support/views.mjs';

const [folder = 'screenshots', pattern = '', widths = '1280,768,375'] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const view of views.filter(({ name }) => new RegExp(pattern).test(name))) {
  for (const scheme of ['light', 'dark']) {
    for (const width of widths.split(',').map(Number)) {
      const server = await startFake(view);
      const page = await openPage(browser, { scheme, width, height: width < 500 ? 800 : 900 });
      await page.clock.setFixedTime(now);
      if (!view.signedOut) await signIn(page, server);
      await page.goto(server.url + view.address);
      await view.ready(page);
      // A dialog belongs to the window, and of a long list only what the window shows is drawn.
      const fullPage = (await page.locator('dialog[open], [aria-rowcount]').count()) === 0;
      if (fullPage) await page.evaluate(() => scrollTo(0, 0));
      await page.screenshot({ path: join(folder, `${view.name}-${width}-${scheme}.png`), fullPage });
      await page.context().close();
      await server.stop();
    }
  }
}
await browser.close();
