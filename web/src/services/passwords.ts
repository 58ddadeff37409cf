import type { components } from '../api/schema';
import { api } from './client';

export type PasswordState = components['schemas']['PasswordState'];
export type PasswordLink = components['schemas']['PasswordLink'];

/** Whether the signed-in user has one. */
export async function readPasswordState(signal?: AbortSignal): Promise<PasswordState> {
  const { data } = await api.GET('/v1/users/me/password', { signal });
  return data!;
}

/** Ends the user's other sessions. */
export async function changePassword(password: string, present?: string): Promise<void> {
  await api.PUT('/v1/users/me/password', { body: { password, ...(present !== undefined && { present_password: present }) } });
}

export async function createPasswordLink(user: string): Promise<PasswordLink> {
  const { data } = await api.POST('/v1/password-links', { body: { user_id: user } });
  return data!;
}

/** Spends a link; then its user signs in. */
export async function setPasswordByLink(secret: string, password: string): Promise<void> {
  await api.POST('/v1/passwords', { body: { password_token: secret, password } });
}
