import type { components } from '../api/schema';
import { api, ifMatch } from './client';

export type Queue = components['schemas']['QueueOverview'];
export type Share = components['schemas']['Share'];
export type Hold = components['schemas']['Hold'];
export type NewHold = components['schemas']['HoldCreate'];
export type ShareTerms = components['schemas']['ShareUpdate'];
export type TeamLimits = Required<components['schemas']['TeamLimits']>;
export type TeamLimit = components['schemas']['TeamLimitStatus'];
export type HoldMode = components['schemas']['HoldMode'];
export type QueueClass = components['schemas']['QueueClass'];
type DeviceClass = 'host' | 'cpu' | 'gpu' | 'accelerator';

export async function readQueue(signal?: AbortSignal): Promise<Queue> {
  const { data } = await api.GET('/v1/queue', { signal });
  return data!;
}

export async function createHold(hold: NewHold): Promise<Hold> {
  const { data } = await api.POST('/v1/holds', { body: hold });
  return data!;
}

export async function deleteHold(id: string): Promise<void> {
  await api.DELETE('/v1/holds/{hold_id}', { params: { path: { hold_id: id } } });
}

export async function setShare(share: Share, terms: ShareTerms): Promise<void> {
  const path = { team_id: share.team.id, device_class: share.device_class as DeviceClass };
  await api.PUT('/v1/teams/{team_id}/shares/{device_class}', { params: { path, header: ifMatch(share.version) }, body: terms });
}

/** Also of a team that is not limited. */
export async function readLimits(team: string): Promise<TeamLimit> {
  const { data } = await api.GET('/v1/teams/{team_id}/limits', { params: { path: { team_id: team } } });
  return data!;
}

export async function setLimits({ team_id, version }: TeamLimit, limits: TeamLimits): Promise<void> {
  await api.PUT('/v1/teams/{team_id}/limits', { params: { path: { team_id }, header: ifMatch(version) }, body: limits });
}

export async function setDeviceClass({ device_class, version }: QueueClass, terms: components['schemas']['DeviceClassUpdate']): Promise<void> {
  const params = { path: { device_class: device_class as DeviceClass }, header: ifMatch(version) };
  await api.PUT('/v1/device-classes/{device_class}', { params, body: terms });
}

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
