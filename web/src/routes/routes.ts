import type { Component } from 'svelte';
import type { Scope } from '../services/session.svelte';
import { kindOf, kinds } from '../jobs/kinds';
import { matchPath } from './address';

type Page<Parameters extends Record<string, string>> = () => Promise<{ default: Component<Parameters> }>;

interface Route {
  pattern: string;
  page: Page<Record<string, string>>;
  needs: Scope | undefined;
  /** Fetches parts that the page will show, while its own code is on its way. */
  parts: ((parameters: Record<string, string>) => Promise<unknown> | undefined) | undefined;
}

/** The names in a pattern: "/jobs/:id" has "id". */
type Names<Pattern extends string> =
  Pattern extends `${string}:${infer Name}/${infer Rest}` ? Name | Names<Rest>
  : Pattern extends `${string}:${infer Name}` ? Name
  : never;

/** A page and the properties it takes from its address, checked against one another. */
const route = <Pattern extends string>(
  pattern: Pattern,
  page: Page<{ [Name in Names<Pattern>]: string }>,
  needs?: Scope,
  parts?: (parameters: { [Name in Names<Pattern>]: string }) => Promise<unknown> | undefined,
): Route => ({ pattern, page: page as unknown as Route['page'], needs, parts: parts as Route['parts'] });

const form = ({ kind }: { kind: string }) => kindOf(kind)?.Form();
const guide = ({ kind }: { kind: string }) => kindOf(kind)?.guide?.Content();
const settings = ({ section }: { section: string }) => kinds.flatMap((kind) => kind.settings ?? []).find(({ path }) => path === section)?.Content();

const routes: readonly Route[] = [
  route('/home', () => import('./home/HomePage.svelte'), 'jobs:read'),
  route('/jobs', () => import('./jobs/JobsPage.svelte'), 'jobs:read'),
  route('/compare', () => import('./compare/ComparePage.svelte'), 'jobs:read'),
  route('/jobs/:id', () => import('./jobs/JobPage.svelte'), 'jobs:read'),
  route('/schedules', () => import('./schedules/SchedulesPage.svelte'), 'jobs:read'),
  route('/schedules/:id', () => import('./schedules/SchedulePage.svelte'), 'jobs:read'),
  route('/datasets', () => import('./datasets/DatasetsPage.svelte'), 'jobs:read'),
  route('/datasets/:id', () => import('./datasets/DatasetPage.svelte'), 'jobs:read'),
  route('/new', () => import('./new/KindsPage.svelte'), 'jobs:write'),
  route('/new/:kind', () => import('./new/NewJobPage.svelte'), 'jobs:write', form),
  route('/new/:kind/:variant', () => import('./new/NewJobPage.svelte'), 'jobs:write', form),
  route('/queue', () => import('./queue/QueuePage.svelte'), 'jobs:read'),
  route('/usage', () => import('./usage/UsagePage.svelte'), 'jobs:read'),
  route('/devices', () => import('./devices/DevicesPage.svelte'), 'jobs:read'),
  route('/settings', () => import('./settings/PreferencesPage.svelte')),
  route('/settings/tokens', () => import('./settings/TokensPage.svelte')),
  route('/settings/password', () => import('./settings/PasswordPage.svelte')),
  route('/settings/sessions', () => import('./settings/SessionsPage.svelte')),
  route('/settings/audit', () => import('./settings/AuditPage.svelte'), 'team:admin'),
  route('/settings/team', () => import('./settings/TeamPage.svelte')),
  route('/docs', () => import('./docs/DocsPage.svelte')),
  route('/docs/api', () => import('./docs/ApiPage.svelte')),
  route('/docs/clients', () => import('./docs/ClientsPage.svelte')),
  route('/docs/guides/:kind', () => import('./docs/GuidePage.svelte'), undefined, guide),
  route('/docs/schemas/:name', () => import('./docs/SchemaPage.svelte')),
  route('/docs/:name', () => import('./docs/NamedPage.svelte')),
  route('/docs/:name/:section', () => import('./docs/TopicPage.svelte')),
  route('/settings/report-links', () => import('./settings/ReportLinksPage.svelte'), 'reports:read'),
  route('/settings/people', () => import('./settings/PeoplePage.svelte'), 'sys:admin'),
  route('/settings/teams', () => import('./settings/TeamsPage.svelte'), 'sys:admin'),
  route('/settings/service-accounts', () => import('./settings/ServiceAccountsPage.svelte'), 'team:admin'),
  route('/settings/webhooks', () => import('./settings/WebhooksPage.svelte'), 'team:admin'),
  route('/settings/:section', () => import('./settings/KindSettingsPage.svelte'), 'jobs:read', settings),
];

/** The code of a page; what it will show is fetched at the same time. */
export function fetchPage({ route, parameters }: NonNullable<ReturnType<typeof routeOf>>): ReturnType<Route['page']> {
  route.parts?.(parameters)?.catch(() => undefined); // the page tells
  return route.page();
}

/** The page of an address with what its pattern takes from it; null if there is none. */
export function routeOf(path: string): { route: Route; parameters: Record<string, string> } | null {
  for (const route of routes) {
    const parameters = matchPath(route.pattern, path);
    if (parameters) return { route, parameters };
  }
  return null;
}
