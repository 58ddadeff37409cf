/** A day as a date field has it, "2026-11-24"; nothing else. */
export const asDay = (text: string | null) => (text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined);

/** The times from the first to the last of these days of the reader's, both included. */
export function timesOf({ from, to }: { from: string | undefined; to: string | undefined }): { from?: string; to?: string } {
  // A day without a time is midnight in UTC, with one it is the reader's own.
  const begin = from ? new Date(`${from}T00:00:00`) : undefined;
  const end = to ? new Date(`${to}T00:00:00`) : undefined;
  end?.setDate(end.getDate() + 1);
  return { from: begin?.toISOString(), to: end?.toISOString() };
}
