/** What else signs somebody in: API tokens, sessions in other browsers, an identity provider, and the accounts of programs. */

import type { components } from '../api/schema';
import { api, dataOf, ifMatch } from './client';
import { everything } from './pages';

export type Token = components['schemas']['Token'];
export type TokenCreate = components['schemas']['TokenCreate'];
export type TokenCreated = components['schemas']['TokenCreated'];

export const listTokens = (signal?: AbortSignal): Promise<Token[]> => everything((query) => api.GET('/v1/tokens', { params: { query }, signal }));
export const createToken = (token: TokenCreate): Promise<TokenCreated> => dataOf(api.POST('/v1/tokens', { body: token }));

export const renameToken = async ({ id, version }: Token, name: string) =>
  void (await api.PATCH('/v1/tokens/{token_id}', { params: { path: { token_id: id }, header: ifMatch(version) }, body: { name } }));

export const revokeToken = async (id: string) => void (await api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: id } } }));

/** The name of the identity provider; null: there is none. */
export const readProvider = async (signal?: AbortSignal): Promise<string | null> => (await dataOf(api.GET('/v1/sign-in-methods', { signal }))).provider;

/** The page of the provider to go to in this browser. */
export const beginProviderSignIn = async (): Promise<string> => (await dataOf(api.POST('/v1/provider-sign-ins'))).authorization_url;

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
export const listSessions = (signal?: AbortSignal): Promise<SessionInfo[]> => everything((query) => api.GET('/v1/sessions', { params: { query }, signal }));
export const endSession = async (id: string) => void (await api.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id: id } } }));

export type ServiceAccount = components['schemas']['ServiceAccount'];
export type AccountRole = ServiceAccount['role'];

export const accountRoles: readonly AccountRole[] = ['viewer', 'member'];

export const listServiceAccounts = (signal?: AbortSignal): Promise<ServiceAccount[]> => everything((query) => api.GET('/v1/service-accounts', { params: { query }, signal }));
export const createServiceAccount = (name: string, role: AccountRole): Promise<ServiceAccount> => dataOf(api.POST('/v1/service-accounts', { body: { name, role } }));

export const updateServiceAccount = async ({ id, version }: ServiceAccount, change: components['schemas']['ServiceAccountUpdate']) =>
  void (await api.PATCH('/v1/service-accounts/{service_account_id}', { params: { path: { service_account_id: id }, header: ifMatch(version) }, body: change }));

export const removeServiceAccount = async (id: string) => void (await api.DELETE('/v1/service-accounts/{service_account_id}', { params: { path: { service_account_id: id } } }));
