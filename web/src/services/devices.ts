import type { components } from '../api/schema';
import { api, dataOf } from './client';

export type Device = components['schemas']['Device'];

/** Asks the device's worker to release what it keeps between tasks; the list later shows what was freed. */
export const cleanUpDevice = async ({ node, device }: Device) => void (await api.POST('/v1/devices/{node}/{device}/cleanup', { params: { path: { node, device } } }));
export const listDevices = async (signal?: AbortSignal): Promise<Device[]> => (await dataOf(api.GET('/v1/devices', { signal }))).items;
