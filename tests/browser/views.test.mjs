// What every page must pass in every state, light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessibilityFaults, drawn, launch, overflow, until } from './support/browser.mjs';
import { KeptPages } from './support/kept-pages.mjs';
import { startFake, views } from './support/views.mjs';

const narrow = 320; // CSS pixels: a small phone, or a wide window at 400 %
const long = Boolean(process.env.PLIMSOLL_LONG_TESTS);
const between = [768, 900, 1100]; // a tablet either way up, half a screen: tables have the least room here

const perSecond = 2; // the most often that a page asks the same again: once, and again when it becomes visible

/** A question that the page has asked more often than it polls: an answer that leads to the same question never ends. */
function repeated(server, began) {
  const times = new Map();
  for (const { name, query } of server.calls) times.set(`${name}?${query}`, (times.get(`${name}?${query}`) ?? 0) + 1);
  const most = 3 + (perSecond * (Date.now() - began)) / 1_000;
  return [...times].filter(([, amount]) => amount > most);
}

// “2/3”: the second of three parts, each with every third view. All, if it is not set.
const [part, parts] = (process.env.PLIMSOLL_PART ?? '1/1').split('/').map(Number);

let browser, pages;
before(async () => (pages = new KeptPages((browser = await launch()))));
after(() => browser.close());

for (const [index, view] of views.entries()) {
  if (index % parts !== part - 1) continue;
  // Contrast in the dark, looked at twice, took a fifth of the time. States of a page stand side by side and share its colours:
  // every other one is looked at, wide or narrow by turns; with PLIMSOLL_LONG_TESTS=1 each, both ways.
  const looks = (turn) => long || index % 4 === turn;
  test(`${view.name}: accessible, within the content policy, never wider than its window, quiet`, async () => {
    const server = await startFake(view);
    const page = await pages.take(server, view);
    let kept = false;
    try {
      const began = Date.now();
      await page.goto(server.url + view.address);
      await view.ready(page);
      // What a view scrolled to may lie half under the bar, which would count as too small.
      await page.evaluate(() => scrollTo(0, 0));
      await drawn(page);
      assert.deepEqual(await accessibilityFaults(page), [], 'light');
      await page.emulateMedia({ colorScheme: 'dark' });
      if (looks(0)) assert.deepEqual(await accessibilityFaults(page, ['color-contrast']), [], 'dark');
      for (const width of between) {
        await page.setViewportSize({ width, height: 900 });
        await until(async () => (await overflow(page)) === 0, `a page that does not scroll sideways at ${width} px`);
      }
      await page.setViewportSize({ width: narrow, height: 700 });
      await until(async () => (await overflow(page)) === 0, `a page that does not scroll sideways at ${narrow} px`);
      await page.evaluate(() => scrollTo(0, 0));
      await drawn(page);
      assert.deepEqual(await accessibilityFaults(page, ['target-size', ...(looks(2) ? ['color-contrast'] : [])]), [], 'narrow');
      assert.deepEqual(repeated(server, began), []);
      assert.deepEqual(page.complaints, []);
      kept = await pages.giveBack(page, view);
    } finally {
      if (!kept) await page.context().close();
      await server.stop();
    }
  });
}
