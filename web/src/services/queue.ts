import type { components } from '../api/schema';
import { api, dataOf, ifMatch } from './client';

export type Queue = components['schemas']['QueueOverview'];
export type Share = components['schemas']['Share'];
export type Hold = components['schemas']['Hold'];
export type NewHold = components['schemas']['HoldCreate'];
export type ShareTerms = components['schemas']['ShareUpdate'];
export type TeamLimits = Required<components['schemas']['TeamLimits']>;
export type TeamLimit = components['schemas']['TeamLimitStatus'];
export type HoldMode = components['schemas']['HoldMode'];
export type QueueClass = components['schemas']['QueueClass'];
export const deviceClasses = ['gpu', 'cpu', 'accelerator', 'host'] as const;
export type DeviceClass = (typeof deviceClasses)[number];

export const readQueue = (signal?: AbortSignal): Promise<Queue> => dataOf(api.GET('/v1/queue', { signal }));
export const createHold = (hold: NewHold): Promise<Hold> => dataOf(api.POST('/v1/holds', { body: hold }));
export const deleteHold = async (id: string) => void (await api.DELETE('/v1/holds/{hold_id}', { params: { path: { hold_id: id } } }));

/** `version`: what was seen of it; a team that never ran has none. */
export async function setShare({ team, device_class, version }: { team: { id: string }; device_class: string; version?: string }, terms: ShareTerms): Promise<void> {
  const path = { team_id: team.id, device_class: device_class as DeviceClass };
  await api.PUT('/v1/teams/{team_id}/shares/{device_class}', { params: { path, ...(version && { header: ifMatch(version) }) }, body: terms });
}

/** Also of a team that is not limited. */
export const readLimits = (team: string): Promise<TeamLimit> => dataOf(api.GET('/v1/teams/{team_id}/limits', { params: { path: { team_id: team } } }));

export const setLimits = async ({ team_id, version }: TeamLimit, limits: TeamLimits) =>
  void (await api.PUT('/v1/teams/{team_id}/limits', { params: { path: { team_id }, header: ifMatch(version) }, body: limits }));
export const setDeviceClass = async ({ device_class, version }: QueueClass, terms: components['schemas']['DeviceClassUpdate']) =>
  void (await api.PUT('/v1/device-classes/{device_class}', { params: { path: { device_class: device_class as DeviceClass }, header: ifMatch(version) }, body: terms }));

/** The subject of a hold, for people. */
export function subjectOf(hold: Pick<Hold, 'team' | 'device_class' | 'node' | 'device'>): string {
  if (hold.team) return `team ${hold.team.name}`;
  if (hold.device_class) return `every device of class ${hold.device_class}`;
  return hold.device ? `${hold.device} on ${hold.node}` : `every device on ${hold.node}`;
}

/** A hold like one that was lifted. */
export function againOf({ team, device_class, node, device, mode, reason }: Hold): NewHold {
  if (team) return { team_id: team.id, mode, reason };
  if (device_class) return { device_class, mode, reason };
  return { node: node!, ...(device && { device }), mode, reason };
}
