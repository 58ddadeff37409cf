// Runs before the first paint, so a chosen theme does not flash. The key and values are those of
// src/design/theme.svelte.ts; "auto" (nothing stored) leaves the choice to the system.
try {
  const theme = localStorage.getItem('plimsoll.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's preference stands.
}
