import type { components } from '../api/schema';
import { api, ifMatch } from './client';
import { everything } from './pages';

export type ServiceAccount = components['schemas']['ServiceAccount'];
export type AccountRole = ServiceAccount['role'];

export const accountRoles: readonly AccountRole[] = ['viewer', 'member'];

export async function listServiceAccounts(signal?: AbortSignal): Promise<ServiceAccount[]> {
  return everything((query) => api.GET('/v1/service-accounts', { params: { query }, signal }));
}

export async function createServiceAccount(name: string, role: AccountRole): Promise<ServiceAccount> {
  const { data } = await api.POST('/v1/service-accounts', { body: { name, role } });
  return data!;
}

export async function updateServiceAccount({ id, version }: ServiceAccount, change: components['schemas']['ServiceAccountUpdate']): Promise<void> {
  const params = { path: { service_account_id: id }, header: ifMatch(version) };
  await api.PATCH('/v1/service-accounts/{service_account_id}', { params, body: change });
}

export async function removeServiceAccount(id: string): Promise<void> {
  await api.DELETE('/v1/service-accounts/{service_account_id}', { params: { path: { service_account_id: id } } });
}
