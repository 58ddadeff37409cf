import type { components } from '../api/schema';
import { api } from './client';

export type Device = components['schemas']['Device'];

export async function listDevices(signal?: AbortSignal): Promise<Device[]> {
  const { data } = await api.GET('/v1/devices', { signal });
  return data!.items;
}
