import type { components } from '../api/schema';
import { api } from './client';
import { everything } from './pages';

export type SessionInfo = components['schemas']['SessionInfo'];

/** The caller's own; for managers of the team, also those in the team. */
export async function listSessions(signal?: AbortSignal): Promise<SessionInfo[]> {
  return everything((query) => api.GET('/v1/sessions', { params: { query }, signal }));
}

export async function endSession(id: string): Promise<void> {
  await api.DELETE('/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
}
