import { chooseTheme, themeNames, themes } from '../../design/tokens/theme.svelte';
import type { IconName } from '../../design/tokens/icons';
import { kinds, titleOf } from '../../jobs/kinds';
import type { Job } from '../../services/jobs';
import { session } from '../../services/session.svelte';
import { router } from '../router.svelte';

/** Something that can be chosen in the palette. */
export interface Command {
  id: string;
  text: string;
  /** Its type in a word: "Page". */
  note: string;
  icon: IconName;
  /** More words by which it is found. */
  also?: string;
  run: () => void;
}

const page = (path: string, text: string, also = ''): Command => ({ id: path, text, note: 'Page', icon: 'right', also, run: () => router.go(path) });

/** Commands that always exist, as far as the user may use them. */
export function commands(openHelp: () => void): Command[] {
  return [
    page('/home', 'Home', 'what fits gpu memory batch'),
    page('/jobs', 'Jobs', 'reports'),
    ...(session.may('jobs:write') ? kinds.map(({ kind, title, summary }) => ({ ...page(`/new/${kind}`, `New job: ${title}`, `${summary} ${kind}`), note: 'Form', icon: 'plus' as const })) : []),
    ...(session.may('jobs:write') ? kinds.flatMap(({ kind, variants = [] }) => variants.map(({ path, title, summary }) => page(`/new/${kind}/${path}`, title, summary))) : []),
    page('/jobs?state=running', 'Running jobs'),
    page('/jobs?state=failed', 'Failed jobs', 'errors'),
    page('/schedules', 'Schedules', 'cron'),
    page('/datasets', 'Datasets', 'files uploads'),
    page('/queue', 'Queue', 'shares teams holds pause'),
    page('/usage', 'Usage', 'device-seconds'),
    page('/devices', 'Devices', 'gpu workers nodes'),
    page('/settings', 'Settings', 'preferences colours'),
    page('/settings/tokens', 'Tokens', 'settings api'),
    page('/settings/team', 'Team', 'settings members'),
    ...(session.may('reports:read') ? [page('/settings/report-links', 'Shared reports', 'settings links')] : []),
    ...(session.may('team:admin') ? [page('/settings/webhooks', 'Webhooks', 'settings deliveries')] : []),
    ...(session.may('sys:admin') ? [page('/settings/people', 'People', 'settings users accounts'), page('/settings/teams', 'Teams', 'settings')] : []),
    ...kinds.flatMap(({ settings = [] }) => settings.map(({ path, title }) => page(`/settings/${path}`, title, 'settings'))),
    page('/docs', 'Docs', 'documentation api reference'),
    ...kinds.flatMap(({ kind, guide }) => (guide ? [page(`/docs/guides/${kind}`, `Guide: ${guide.title}`, guide.lead)] : [])),
    ...themes.map((theme): Command => ({ id: `theme ${theme}`, text: `Colours: ${themeNames[theme]}`, note: 'Action', icon: 'auto', also: 'theme mode', run: () => chooseTheme(theme) })),
    { id: 'keys', text: 'Keyboard shortcuts', note: 'Action', icon: 'keyboard', also: 'help', run: openHelp },
  ];
}

export const ofJob = (job: Job): Command => ({
  id: job.id,
  text: titleOf(job),
  note: `Job, ${job.state}`,
  icon: 'file',
  also: [job.id, ...Object.entries(job.labels).map(([name, value]) => `${name}=${value}`)].join(' '),
  run: () => router.go(`/jobs/${job.id}`),
});

/** Commands that contain every word; those whose text begins with the first word come first. */
export function find(all: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = all.filter(({ text: own, also = '' }) => words.every((word) => `${own} ${also}`.toLowerCase().includes(word)));
  const leads = ({ text: own }: Command) => Number(own.toLowerCase().startsWith(words[0] ?? ''));
  return matching.sort((a, b) => leads(b) - leads(a));
}
