// A headless Chromium for the tests, and pages that notice whatever goes wrong in them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core'); // which an import would parse twice
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

// A machine so many times slower than this one: the pages' processor time and the stand-in's answers stretch.
export const slowdown = Number(process.env.PLIMSOLL_TEST_SLOWDOWN ?? 1);
// Long enough for a machine that is busy with something else; whoever waits for so long has found a fault.
const patience = 60_000 * slowdown;

const long = Boolean(process.env.PLIMSOLL_LONG_TESTS);

/** A limit on what a page may take. It holds in the long tests: elsewhere the machine is busy with others. */
export const limit = (milliseconds) => (long ? milliseconds * slowdown : Infinity);

// Chromium without the windows, menus and tabs that nobody sees here: a quarter less processor time for the views. No page
// stays long enough to pay for optimised code: five to ten per cent.
export const launch = () =>
  chromium.launch({
    timeout: patience,
    executablePath: process.env.CHROMIUM ?? '/usr/lib/chromium/chromium-headless-shell',
    // The sandbox needs rights that containers and root do not have; the pages are our own.
    args: ['--no-sandbox', '--disable-gpu', '--force-color-profile=srgb', ...(long ? [] : ['--js-flags=--no-opt'])],
  });

/** A page with a clean profile. `page.complaints` fills with console errors, policy violations,
    uncaught exceptions and failed loads of the site's own files. */
export async function openPage(browser, { scheme = 'light', width = 1280, height = 900 } = {}) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    locale: 'en-GB',
  });
  await context.addInitScript(listen);
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  if (slowdown > 1) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  page.complaints = [];
  // Chromium logs every answer of 400 and above; those are what several tests are about.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  return page;
}

/** Runs in the page: keeps what its live regions say, as a screen reader hears it, for they say it for moments only. */
function listen() {
  globalThis.said = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      if (!(target instanceof Element && target.closest('[aria-live]'))) continue;
      for (const node of addedNodes) if (node.textContent.trim()) globalThis.said.push(node.textContent);
    }
  }).observe(document, { childList: true, subtree: true });
}

/** Waits until the page has announced these words since it was loaded, whether they still stand there or not. */
export const heard = (page, words) =>
  until(() => page.evaluate((text) => globalThis.said.some((said) => said.includes(text)), words), `the announcement “${words}”`);

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds on the page as it is now, as readable lines: all it knows, or only some rules. */
export async function accessibilityFaults(page, rules) {
  // Playwright's evaluate runs outside the page's content policy.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  const runOnly = rules ? { type: 'rule', values: rules } : { type: 'tag', values: standards };
  const { violations } = await page.evaluate((only) => axe.run(document, { runOnly: only, resultTypes: ['violations'] }), runOnly);
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`),
  );
}

/** How many pixels the page is wider than its window. */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Waits until `condition` holds, for what no locator can wait for. */
export async function until(condition, what) {
  const deadline = Date.now() + patience;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Waits until the page's later panels are there, and what a table or chart does in the frame after a change of its width. */
export async function drawn(page) {
  await until(() => page.evaluate(() => document.querySelector('section.panel[hidden]') === null), 'the later panels');
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

export const setCookie = (page, server) =>
  page.context().addCookies([{ name: 'plimsoll_session', value: 'yes', url: server.url }]);

/** Every load of the page finds that it was signed in, once: what the pages remember afterwards is theirs. */
export const rememberSignIn = (page) =>
  page.addInitScript(() => {
    if (localStorage.getItem('plimsoll.session') === null) localStorage.setItem('plimsoll.session', 'in');
  });

export async function signIn(page, server) {
  await setCookie(page, server);
  await rememberSignIn(page);
}
