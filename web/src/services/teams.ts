import type { components } from '../api/schema';
import { api, ifMatch } from './client';
import { everything } from './pages';

export type Member = components['schemas']['Member'];
export type Membership = components['schemas']['Membership'];
export type Role = components['schemas']['Role'];
export type User = components['schemas']['User'];
export type UserAccount = components['schemas']['UserAccount'];
export type Team = components['schemas']['Team'];
export type SignInLink = components['schemas']['SignInLink'];

export const roles: readonly Role[] = ['viewer', 'member', 'admin', 'owner'];

export async function listMembers(team: string, signal?: AbortSignal): Promise<Member[]> {
  return everything((query) => api.GET('/v1/teams/{team_id}/members', { params: { path: { team_id: team }, query }, signal }));
}

/** The teams of the signed-in user. */
export async function listMyTeams(signal?: AbortSignal): Promise<Membership[]> {
  return everything((query) => api.GET('/v1/users/me/teams', { params: { query }, signal }));
}

export async function addMember(team: string, user: string, role: Role): Promise<void> {
  await api.PUT('/v1/teams/{team_id}/members/{user_id}', { params: { path: { team_id: team, user_id: user } }, body: { role } });
}

export async function changeRole(team: string, { user, version }: Member, role: Role): Promise<Member> {
  const params = { path: { team_id: team, user_id: user.id }, header: ifMatch(version) };
  const { data } = await api.PUT('/v1/teams/{team_id}/members/{user_id}', { params, body: { role } });
  return data!;
}

export async function removeMember(team: string, user: string): Promise<void> {
  const path = { team_id: team, user_id: user };
  await api.DELETE('/v1/teams/{team_id}/members/{user_id}', { params: { path } });
}

export async function listUsers(signal?: AbortSignal): Promise<UserAccount[]> {
  return everything((query) => api.GET('/v1/users', { params: { query }, signal }));
}

export async function createUser(name: string, email?: string): Promise<User> {
  const { data } = await api.POST('/v1/users', { body: { name, ...(email && { email }) } });
  return data!;
}

export async function updateUser({ id, version }: UserAccount, change: components['schemas']['UserUpdate']): Promise<void> {
  await api.PATCH('/v1/users/{user_id}', { params: { path: { user_id: id }, header: ifMatch(version) }, body: change });
}

/** Ends what is theirs alone; jobs stay with their teams. */
export async function removeUser(id: string): Promise<void> {
  await api.DELETE('/v1/users/{user_id}', { params: { path: { user_id: id } } });
}

/** Every team of the installation, for its system admins. */
export async function listTeams(signal?: AbortSignal): Promise<Team[]> {
  return everything((query) => api.GET('/v1/teams', { params: { query }, signal }));
}

/** The creator of a team owns it. */
export async function createTeam(name: string): Promise<Team> {
  const { data } = await api.POST('/v1/teams', { body: { name } });
  return data!;
}

export async function updateTeam({ id, version }: Team, change: components['schemas']['TeamUpdate']): Promise<Team> {
  const { data } = await api.PATCH('/v1/teams/{team_id}', { params: { path: { team_id: id }, header: ifMatch(version) }, body: change });
  return data!;
}

export async function createSignInLink(user: string, team: string): Promise<SignInLink> {
  const { data } = await api.POST('/v1/sign-in-links', { body: { user_id: user, team_id: team } });
  return data!;
}

/** The complete link: the server returns only its path. */
export const addressOf = (link: { path: string }): string => new URL(link.path, location.origin).href;

export type Invitation = components['schemas']['Invitation'];
export type InvitationCreated = components['schemas']['InvitationCreated'];
export type InvitationOffer = components['schemas']['InvitationOffer'];

export async function listInvitations(signal?: AbortSignal): Promise<Invitation[]> {
  return everything((query) => api.GET('/v1/invitations', { params: { query }, signal }));
}

export async function createInvitation(spec: components['schemas']['InvitationSpec']): Promise<InvitationCreated> {
  const { data } = await api.POST('/v1/invitations', { body: spec });
  return data!;
}

export async function revokeInvitation(id: string): Promise<void> {
  await api.DELETE('/v1/invitations/{invitation_id}', { params: { path: { invitation_id: id } } });
}

export async function readInvitationOffer(secret: string, signal?: AbortSignal): Promise<InvitationOffer> {
  const { data } = await api.GET('/v1/invitation-offer', { params: { header: { 'X-Invitation': secret } }, signal });
  return data!;
}

/** The team that the signed-in user has joined. */
export async function joinTeam(secret: string): Promise<Team> {
  const { data } = await api.POST('/v1/users/me/teams', { body: { invitation_token: secret } });
  return data!.team;
}
