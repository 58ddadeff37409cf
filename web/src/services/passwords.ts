import type { components } from '../api/schema';
import { api } from './client';

export type PasswordState = components['schemas']['PasswordState'];
export type SecondFactorState = components['schemas']['SecondFactorState'];
export type SecondFactorOffer = components['schemas']['SecondFactorOffer'];
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
export async function setPasswordByLink(secret: string, password: string, endTokens: boolean): Promise<void> {
  await api.POST('/v1/passwords', { body: { password_token: secret, password, end_tokens: endTokens } });
}

export async function readSecondFactor(signal?: AbortSignal): Promise<SecondFactorState> {
  const { data } = await api.GET('/v1/users/me/second-factor', { signal });
  return data!;
}

/** A secret for an authenticator app, which counts once it is confirmed. */
export async function offerSecondFactor(present: string): Promise<SecondFactorOffer> {
  const { data } = await api.PUT('/v1/users/me/second-factor', { body: { present_password: present } });
  return data!;
}

/** The recovery codes. */
export async function confirmSecondFactor(code: string): Promise<string[]> {
  const { data } = await api.PUT('/v1/users/me/second-factor/confirmation', { body: { code } });
  return data!.recovery_codes;
}

export async function removeSecondFactor(code: string): Promise<void> {
  await api.POST('/v1/users/me/second-factor/removal', { body: { code } });
}

/** Of somebody who lost it. */
export async function resetSecondFactor(user: string): Promise<void> {
  await api.DELETE('/v1/users/{user_id}/second-factor', { params: { path: { user_id: user } } });
}
