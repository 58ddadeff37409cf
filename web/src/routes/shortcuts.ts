import { Stored } from '../design/stored.svelte';
import { router } from './router.svelte';

/** Single keys can get in the way of speech input, so they can be switched off. */
export const shortcuts = new Stored<'on' | 'off'>('shortcuts', ['on', 'off'], 'on');

/** Not a single key: it works where those are switched off, and while somebody types. */
const paletteKeys = 'Ctrl K';

interface Shortcut {
  keys: readonly string[];
  does: string;
  run: () => void;
}

/** What opens over the page. */
interface Openers {
  help: () => void;
  palette: () => void;
}

export const list = ({ help, palette }: Openers): readonly Shortcut[] => [
  { keys: ['/'], does: 'Focus the search or filter field', run: () => focus('[data-search]') },
  { keys: ['j'], does: 'Next item in the list', run: () => step(1) },
  { keys: ['k'], does: 'Previous item in the list', run: () => step(-1) },
  { keys: ['g', 'h'], does: 'Home', run: () => router.go('/home') },
  { keys: ['g', 'j'], does: 'Jobs', run: () => router.go('/jobs') },
  { keys: ['g', 'f'], does: 'Datasets (files)', run: () => router.go('/datasets') },
  { keys: ['g', 'q'], does: 'Queue', run: () => router.go('/queue') },
  { keys: ['g', 'd'], does: 'Devices', run: () => router.go('/devices') },
  { keys: ['g', 's'], does: 'Settings', run: () => router.go('/settings') },
  { keys: ['g', 'a'], does: 'Docs', run: () => router.go('/docs') },
  { keys: ['n'], does: 'New job', run: () => router.go('/new') },
  { keys: ['?'], does: 'This list', run: help },
  { keys: [paletteKeys], does: 'Go to a page, job or action', run: palette },
];

function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus();
}

function step(by: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>('[data-list] [data-item]')];
  const at = items.findIndex((item) => item === document.activeElement);
  const next = at < 0 ? (by > 0 ? 0 : items.length - 1) : at + by;
  items[next]?.focus();
}

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])'));

/** Listens on the window; returns what stops it. */
export function listen(openers: Openers): () => void {
  const known = list(openers);
  let pressed: string[] = [];

  function onkeydown(event: KeyboardEvent) {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k' && !document.querySelector('dialog[open]')) {
      event.preventDefault();
      openers.palette();
      return;
    }
    if (shortcuts.value === 'off' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target) || document.querySelector('dialog[open]')) return;
    pressed = [...pressed, event.key];
    const starts = (shortcut: Shortcut) => pressed.every((key, index) => shortcut.keys[index] === key);
    let matching = known.filter(starts);
    if (matching.length === 0) {
      // Not the second key of a sequence: perhaps the first one.
      pressed = [event.key];
      matching = known.filter(starts);
    }
    const complete = matching.find((shortcut) => shortcut.keys.length === pressed.length);
    if (matching.length === 0 || complete) pressed = [];
    if (!complete) return;
    event.preventDefault();
    complete.run();
  }

  addEventListener('keydown', onkeydown);
  return () => removeEventListener('keydown', onkeydown);
}
