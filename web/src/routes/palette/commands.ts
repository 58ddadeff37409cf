import { chooseTheme, themeNames, themes } from '../../design/tokens/theme.svelte';
import type { IconName } from '../../design/tokens/icons';
import { kinds, titleOf } from '../../jobs/kinds';
import { attempt } from '../../services/attempt';
import type { Job } from '../../services/jobs';
import { session } from '../../services/session.svelte';
import type { Membership } from '../../services/teams';
import { topics } from '../docs/topics';
import { router } from '../router.svelte';
import { settings } from '../settings-sections';

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

/** What is done on a page, under its own name. */
const action = (path: string, text: string, also = ''): Command => ({ ...page(path, text, also), id: text, note: 'Action' });

export const toTeam = ({ team }: Membership): Command => ({
  id: team.id,
  text: `Switch to ${team.name}`,
  note: 'Team',
  icon: 'account',
  also: 'team',
  run: () => void attempt(() => session.goToTeam(team.id)),
});

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
    ...(session.may('sys:admin') ? [action('/devices', 'Drain or pause a device'), action('/queue', 'Drain or pause a team or a class', 'shares caps quotas')] : []),
    ...settings().flatMap(([, sections]) =>
      sections.flatMap(({ path, title, does = [] }) => [page(`/settings${path}`, title, 'settings'), ...does.map((text) => action(`/settings${path}`, text))]),
    ),
    page('/docs', 'Docs', 'documentation api reference'),
    ...topics.map(({ name, title, lead }) => page(`/docs/${name}`, `Docs: ${title}`, lead)),
    ...kinds.flatMap(({ kind, guide }) => (guide ? [page(`/docs/guides/${kind}`, `Guide: ${guide.title}`, guide.lead)] : [])),
    ...themes.map((theme): Command => ({ id: `theme ${theme}`, text: `Colours: ${themeNames[theme]}`, note: 'Action', icon: 'auto', also: 'theme mode', run: () => chooseTheme(theme) })),
    { id: 'out', text: 'Sign out', note: 'Action', icon: 'account', also: 'log leave', run: () => void attempt(() => session.signOut()) },
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
