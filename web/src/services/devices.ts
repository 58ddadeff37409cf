import type { components } from '../api/schema';
import { api } from './client';

export type Device = components['schemas']['Device'];

/** Has the device's worker let go of what it keeps between tasks; the list tells later what was freed. */
export async function cleanUpDevice({ node, device }: Device): Promise<void> {
  await api.POST('/v1/devices/{node}/{device}/cleanup', { params: { path: { node, device } } });
}

export async function listDevices(signal?: AbortSignal): Promise<Device[]> {
  const { data } = await api.GET('/v1/devices', { signal });
  return data!.items;
}
