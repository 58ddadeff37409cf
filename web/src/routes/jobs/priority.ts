/** What the form offers; the API takes −10 to 10, and 0 when a spec names none. */
export const priorities = [
  ['-5', 'Low'],
  ['0', 'Normal'],
  ['5', 'High'],
  ['10', 'Highest'],
] as const;

/** "Normal", "High (+3)", "Low (−10)". */
export function priorityText(priority: number): string {
  if (priority === 0) return 'Normal';
  return priority > 0 ? `High (+${priority})` : `Low (−${-priority})`;
}
