// What every page must pass in every state, light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessibilityFaults, launch, overflow, until } from './support/browser.mjs';
import { KeptPages } from './support/kept-pages.mjs';
import { startFake, views } from './support/views.mjs';

const narrow = 320; // CSS pixels: a small phone, or a wide window at 400 %
const between = [768, 900, 1100]; // a tablet either way up, half a screen: tables have the least room here

let browser, pages;
before(async () => (pages = new KeptPages((browser = await launch()))));
after(() => browser.close());

for (const view of views) {
  test(`${view.name}: accessible, within the content policy, never wider than its window`, async () => {
    const server = await startFake(view);
    const page = await pages.take(server, view);
    let kept = false;
    try {
      await page.goto(server.url + view.address);
      await view.ready(page);
      assert.deepEqual(await accessibilityFaults(page), [], 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      assert.deepEqual(await accessibilityFaults(page, ['color-contrast']), [], 'dark');
      for (const width of between) {
        await page.setViewportSize({ width, height: 900 });
        await until(async () => (await overflow(page)) === 0, `a page that does not scroll sideways at ${width} px`);
      }
      await page.setViewportSize({ width: narrow, height: 700 });
      await until(async () => (await overflow(page)) === 0, `a page that does not scroll sideways at ${narrow} px`);
      // What a view scrolled to may lie half under the bar now, which would count as too small.
      await page.evaluate(() => scrollTo(0, 0));
      assert.deepEqual(await accessibilityFaults(page, ['target-size', 'color-contrast']), [], 'narrow');
      assert.deepEqual(page.complaints, []);
      kept = await pages.giveBack(page, view);
    } finally {
      if (!kept) await page.context().close();
      await server.stop();
    }
  });
}
