/** What else signs somebody in: API tokens, sessions in other browsers, an identity provider, and the accounts of programs. */

import type { components } from '../api/schema';
import { api, ifMatch } from './client';
import { everything } from './pages';

export type Token = components['schemas']['Token'];
export type TokenCreate = components['schemas']['TokenCreate'];
export type TokenCreated = components['schemas']['TokenCreated'];

export async function listTokens(signal?: AbortSignal): Promise<Token[]> {
  return everything((query) => api.GET('/v1/tokens', { params: { query }, signal }));
}

export async function createToken(token: TokenCreate): Promise<TokenCreated> {
  const { data } = await api.POST('/v1/tokens', { body: token });
  return data!;
}

export async function renameToken({ id, version }: Token, name: string): Promise<void> {
  await api.PATCH('/v1/tokens/{token_id}', { params: { path: { token_id: id }, header: ifMatch(version) }, body: { name } });
}

export async function revokeToken(id: string): Promise<void> {
  await api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: id } } });
}

/** The name of the identity provider; null: there is none. */
export async function readProvider(signal?: AbortSignal): Promise<string | null> {
  const { data } = await api.GET('/v1/sign-in-methods', { signal });
  return data!.provider;
}

/** The page of the provider to go to in this browser. */
export async function beginProviderSignIn(): Promise<string> {
  const { data } = await api.POST('/v1/provider-sign-ins');
  return data!.authorization_url;
}

/** The user can no longer sign in with an identity provider. */
export async function unlinkIdentities(user: string): Promise<void> {
  const path = { user_id: user };
  const identities = await everything((query) => api.GET('/v1/users/{user_id}/identities', { params: { path, query } }));
  for (const { id } of identities) {
    await api.DELETE('/v1/users/{user_id}/identities/{identity_id}', { params: { path: { ...path, identity_id: id } } });
  }
}

export type SessionInfo = components['schemas']['SessionInfo'];

/** The caller's own; for managers of the team, also those in the team. */
export async function listSessions(signal?: AbortSignal): Promise<SessionInfo[]> {
  return everything((query) => api.GET('/v1/sessions', { params: { query }, signal }));
}

export async function endSession(id: string): Promise<void> {
  await api.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
}

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
