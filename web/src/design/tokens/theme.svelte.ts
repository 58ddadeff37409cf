import { Stored } from '../stored.svelte';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The key is also read by public/theme.js, before the first paint. */
export const theme = new Stored<Theme>('theme', themes, 'auto');

export function applyTheme(value: Theme): void {
  if (value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}
