// One browser a file, one server and one page a test, all closed whatever happens.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { launch, openPage, signIn } from './browser.mjs';
import { KeptPages } from './kept-pages.mjs';
import { startFake } from './views.mjs';

let browser, pages;
before(async () => (pages = new KeptPages((browser = await launch()))));
after(() => browser.close());

/** A test that gets a page, signed in unless told otherwise, and must leave no complaint behind. What changes the page
    itself, as its clock and its routes do, needs one `ofItsOwn`. */
export function visit(name, options, run) {
  if (typeof options === 'function') return visit(name, {}, options);
  const take = async (server) => {
    if (!options.ofItsOwn) return pages.take(server, options);
    const page = await openPage(browser, options);
    if (!options.signedOut) await signIn(page, server);
    return page;
  };
  test(name, async () => {
    const server = await startFake(options);
    const page = await take(server);
    let kept = false;
    try {
      await run({ page, server, go: (address) => page.goto(server.url + address) });
      assert.deepEqual(page.complaints, []);
      if (!options.ofItsOwn) kept = await pages.giveBack(page, options);
    } finally {
      if (!kept) await page.context().close();
      await server.stop();
    }
  });
}
