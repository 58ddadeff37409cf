// One browser a file, one server and one page a test, all closed whatever happens.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { launch, openPage, signIn } from './browser.mjs';
import { startFake } from './views.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A test that gets a page, signed in unless told otherwise, and must leave no complaint behind. */
export function visit(name, options, run) {
  if (typeof options === 'function') return visit(name, {}, options);
  test(name, async () => {
    const server = await startFake(options);
    const page = await openPage(browser, options);
    if (!options.signedOut) await signIn(page, server);
    try {
      await run({ page, server, go: (address) => page.goto(server.url + address) });
      assert.deepEqual(page.complaints, []);
    } finally {
      await page.context().close();
      await server.stop();
    }
  });
}
