import { kinds } from '../jobs/kinds';
import { session } from '../services/session.svelte';

export interface Section {
  path: string;
  title: string;
  /** What is done there: the palette finds it by these words. */
  does?: readonly string[];
}

/** The sections of the settings that the user may open, by whose settings they are. */
export function settings(): readonly (readonly [whose: string, sections: readonly Section[]])[] {
  const allowed = (scope: Parameters<typeof session.may>[0], ...sections: Section[]) => (session.may(scope) ? sections : []);
  return [
    [
      'You',
      [
        { path: '', title: 'Preferences' },
        { path: '/tokens', title: 'Tokens', does: ['Create a token'] },
        { path: '/password', title: 'Password', does: ['Change the password', 'Add a second factor'] },
        { path: '/sessions', title: 'Sessions' },
      ],
    ],
    [
      'Your team',
      [
        { path: '/team', title: 'Team', does: session.may('team:admin') ? ['Invite somebody', 'Add a member'] : [] },
        ...allowed('jobs:read', ...kinds.flatMap(({ settings = [] }) => settings.map(({ path, title }) => ({ path: `/${path}`, title })))),
        ...allowed('reports:read', { path: '/report-links', title: 'Shared reports', does: ['Revoke a shared report'] }),
        ...allowed(
          'team:admin',
          { path: '/service-accounts', title: 'Service accounts', does: ['Add a service account'] },
          { path: '/webhooks', title: 'Webhooks', does: ['Add a webhook'] },
          { path: '/audit', title: 'Audit' },
        ),
      ],
    ],
    ['Installation', allowed('sys:admin', { path: '/people', title: 'People', does: ['Disable somebody', 'Make a system admin'] }, { path: '/teams', title: 'Teams', does: ['Create a team'] })],
  ];
}
