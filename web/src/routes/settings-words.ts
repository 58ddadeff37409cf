/** Verbs whose past is not made by rule. */
const pasts: Readonly<Record<string, string>> = { set: 'set', run: 'run', cancel: 'cancelled', cleanup: 'cleaned up', redrive: 'run again' };

/** What was done, as a person says it: "Report link opened" for report_link.open. */
export function actionWords(action: string): string {
  const [noun = '', verb = ''] = action.replaceAll('_', ' ').split('.');
  return `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${pasts[verb] ?? `${verb}${verb.endsWith('e') ? 'd' : 'ed'}`}`;
}

// Of the names that a browser gives itself, the first is its own.
const browsers = [['Edg', 'Edge'], ['OPR', 'Opera'], ['Firefox', 'Firefox'], ['Chrome', 'Chrome'], ['Safari', 'Safari']] as const;
const systems = [['Windows', 'Windows'], ['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Mac OS X', 'macOS'], ['Linux', 'Linux']] as const;

/** What a User-Agent stands for: "Firefox on Linux"; a program by its own name. */
export function clientName(agent: string | null): string {
  if (agent === null) return 'Unknown client';
  if (!agent.startsWith('Mozilla/')) return agent;
  const known = (names: readonly (readonly [string, string])[]) => names.find(([part]) => agent.includes(part))?.[1];
  return [known(browsers) ?? 'Browser', known(systems)].filter(Boolean).join(' on ');
}
