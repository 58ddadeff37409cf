// Pages that tests take one after the other. Each gets one as in a new profile, but in a renderer that runs already:
// a new one costs a second of processor time, a third of what most tests need.
import { openPage, rememberSignIn, setCookie } from './browser.mjs';

export class KeptPages {
  #browser;
  #prepare;
  /** By whether they sign in. */
  #pages = new Map();

  /** `prepare`: what happens to each new page once. */
  constructor(browser, prepare = () => undefined) {
    this.#browser = browser;
    this.#prepare = prepare;
  }

  /** An empty page, signed in to `server` unless told otherwise. */
  async take(server, { signedOut = false, scheme = 'light', width = 1280, height = 900 } = {}) {
    const kept = this.#pages.get(signedOut);
    this.#pages.delete(signedOut);
    const page = kept ?? (await openPage(this.#browser));
    if (!kept) await this.#prepare(page);
    page.complaints = [];
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height });
    if (!signedOut) {
      if (!kept) await rememberSignIn(page);
      await setCookie(page, server);
    }
    return page;
  }

  /** For the next test. A page whose test failed is closed instead. */
  async giveBack(page, { signedOut = false } = {}) {
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.goto('about:blank');
    await page.context().clearCookies();
    this.#pages.set(signedOut, page);
    return true;
  }
}
