import { Stored } from '../stored.svelte';

export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

/** The key is also read by public/early.js, before the first paint. */
export const theme = new Stored<Theme>('theme', themes, 'auto');

export const themeNames: Record<Theme, string> = { auto: 'system', light: 'light', dark: 'dark' };

export function chooseTheme(value: Theme): void {
  theme.value = value;
  if (value === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
}
