import type { Scope } from '../../services/session.svelte';

/** What a token with a scope may do. */
export const scopeWords: Record<Scope, string> = {
  'jobs:read': 'Read jobs',
  'jobs:write': 'Submit, cancel and delete jobs',
  'reports:read': 'Read reports and results',
  'team:admin': 'Manage the team',
  'sys:admin': 'Manage users, teams and devices',
};
