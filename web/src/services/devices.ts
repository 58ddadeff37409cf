import type { components } from '../api/schema';
import { api } from './client';

export type Device = components['schemas']['Device'];

/** Asks the device's worker to release what it keeps between tasks; the list later shows what was freed. */
export async function cleanUpDevice({ node, device }: Device): Promise<void> {
  await api.POST('/v1/devices/{node}/{device}/cleanup', { params: { path: { node, device } } });
}

export async function listDevices(signal?: AbortSignal): Promise<Device[]> {
  const { data } = await api.GET('/v1/devices', { signal });
  return data!.items;
}
