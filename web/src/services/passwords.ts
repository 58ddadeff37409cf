import type { components } from '../api/schema';
import { api, dataOf } from './client';

export type PasswordState = components['schemas']['PasswordState'];
export type SecondFactorState = components['schemas']['SecondFactorState'];
export type SecondFactorOffer = components['schemas']['SecondFactorOffer'];
export type PasswordLink = components['schemas']['PasswordLink'];

/** Whether the signed-in user has one. */
export const readPasswordState = (signal?: AbortSignal): Promise<PasswordState> => dataOf(api.GET('/v1/users/me/password', { signal }));

/** Ends the user's other sessions. */
export const changePassword = async (password: string, present?: string) =>
  void (await api.PUT('/v1/users/me/password', { body: { password, ...(present !== undefined && { present_password: present }) } }));

export const createPasswordLink = (user: string): Promise<PasswordLink> => dataOf(api.POST('/v1/password-links', { body: { user_id: user } }));

/** Spends a link; then its user signs in. */
export const setPasswordByLink = async (secret: string, password: string, endTokens: boolean) =>
  void (await api.POST('/v1/passwords', { body: { password_token: secret, password, end_tokens: endTokens } }));

export const readSecondFactor = (signal?: AbortSignal): Promise<SecondFactorState> => dataOf(api.GET('/v1/users/me/second-factor', { signal }));

/** A secret for an authenticator app, which counts once it is confirmed. */
export const offerSecondFactor = (present: string): Promise<SecondFactorOffer> => dataOf(api.PUT('/v1/users/me/second-factor', { body: { present_password: present } }));

/** The recovery codes. */
export const confirmSecondFactor = async (code: string): Promise<string[]> => (await dataOf(api.PUT('/v1/users/me/second-factor/confirmation', { body: { code } }))).recovery_codes;
export const removeSecondFactor = async (code: string) => void (await api.POST('/v1/users/me/second-factor/removal', { body: { code } }));

/** Of somebody who lost it. */
export const resetSecondFactor = async (user: string) => void (await api.DELETE('/v1/users/{user_id}/second-factor', { params: { path: { user_id: user } } }));
