import type { components } from '../api/schema';
import { api, dataOf, ifMatch } from './client';
import { everything } from './pages';

export type Member = components['schemas']['Member'];
export type Membership = components['schemas']['Membership'];
export type Role = components['schemas']['Role'];
export type User = components['schemas']['User'];
export type UserAccount = components['schemas']['UserAccount'];
export type Team = components['schemas']['Team'];
export type SignInLink = components['schemas']['SignInLink'];

export const roles: readonly Role[] = ['viewer', 'member', 'admin', 'owner'];

export const listMembers = (team: string, signal?: AbortSignal): Promise<Member[]> =>
  everything((query) => api.GET('/v1/teams/{team_id}/members', { params: { path: { team_id: team }, query }, signal }));

/** The teams of the signed-in user. */
export const listMyTeams = (signal?: AbortSignal): Promise<Membership[]> => everything((query) => api.GET('/v1/users/me/teams', { params: { query }, signal }));

export const addMember = async (team: string, user: string, role: Role) =>
  void (await api.PUT('/v1/teams/{team_id}/members/{user_id}', { params: { path: { team_id: team, user_id: user } }, body: { role } }));
export const changeRole = (team: string, { user, version }: Member, role: Role): Promise<Member> =>
  dataOf(api.PUT('/v1/teams/{team_id}/members/{user_id}', { params: { path: { team_id: team, user_id: user.id }, header: ifMatch(version) }, body: { role } }));

export const removeMember = async (team: string, user: string) => void (await api.DELETE('/v1/teams/{team_id}/members/{user_id}', { params: { path: { team_id: team, user_id: user } } }));
export const listUsers = (signal?: AbortSignal): Promise<UserAccount[]> => everything((query) => api.GET('/v1/users', { params: { query }, signal }));
export const createUser = (name: string, email?: string): Promise<User> => dataOf(api.POST('/v1/users', { body: { name, ...(email && { email }) } }));

export const updateUser = async ({ id, version }: UserAccount, change: components['schemas']['UserUpdate']) =>
  void (await api.PATCH('/v1/users/{user_id}', { params: { path: { user_id: id }, header: ifMatch(version) }, body: change }));

/** Ends what is theirs alone; jobs stay with their teams. */
export const removeUser = async (id: string) => void (await api.DELETE('/v1/users/{user_id}', { params: { path: { user_id: id } } }));

/** Every team of the installation, for its system admins. */
export const listTeams = (signal?: AbortSignal): Promise<Team[]> => everything((query) => api.GET('/v1/teams', { params: { query }, signal }));

/** The creator of a team owns it. */
export const createTeam = (name: string): Promise<Team> => dataOf(api.POST('/v1/teams', { body: { name } }));

export const updateTeam = ({ id, version }: Team, change: components['schemas']['TeamUpdate']): Promise<Team> =>
  dataOf(api.PATCH('/v1/teams/{team_id}', { params: { path: { team_id: id }, header: ifMatch(version) }, body: change }));

export const createSignInLink = (user: string, team: string): Promise<SignInLink> => dataOf(api.POST('/v1/sign-in-links', { body: { user_id: user, team_id: team } }));

/** The complete link: the server returns only its path. */
export const addressOf = (link: { path: string }): string => new URL(link.path, location.origin).href;

export type Invitation = components['schemas']['Invitation'];
export type InvitationCreated = components['schemas']['InvitationCreated'];
export type InvitationOffer = components['schemas']['InvitationOffer'];

export const listInvitations = (signal?: AbortSignal): Promise<Invitation[]> => everything((query) => api.GET('/v1/invitations', { params: { query }, signal }));
export const createInvitation = (spec: components['schemas']['InvitationSpec']): Promise<InvitationCreated> => dataOf(api.POST('/v1/invitations', { body: spec }));
export const revokeInvitation = async (id: string) => void (await api.DELETE('/v1/invitations/{invitation_id}', { params: { path: { invitation_id: id } } }));

export const readInvitationOffer = (secret: string, signal?: AbortSignal): Promise<InvitationOffer> =>
  dataOf(api.GET('/v1/invitation-offer', { params: { header: { 'X-Invitation': secret } }, signal }));

/** The team that the signed-in user has joined. */
export const joinTeam = async (secret: string): Promise<Team> => (await dataOf(api.POST('/v1/users/me/teams', { body: { invitation_token: secret } }))).team;
