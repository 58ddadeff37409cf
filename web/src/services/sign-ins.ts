/** What else signs somebody in: API tokens, and sessions in other browsers. */

import type { components } from '../api/schema';
import { api } from './client';
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

export async function revokeToken(id: string): Promise<void> {
  await api.DELETE('/v1/tokens/{token_id}', { params: { path: { token_id: id } } });
}

export type SessionInfo = components['schemas']['SessionInfo'];

/** The caller's own; for managers of the team, also those in the team. */
export async function listSessions(signal?: AbortSignal): Promise<SessionInfo[]> {
  return everything((query) => api.GET('/v1/sessions', { params: { query }, signal }));
}

export async function endSession(id: string): Promise<void> {
  await api.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
}
