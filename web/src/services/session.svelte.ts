import type { components } from '../api/schema';
import { api, credentials } from './client';
import { Problem } from './problem';
import { Stored } from '../design/stored.svelte';

export type Me = components['schemas']['Me'];
export type Scope = components['schemas']['Scope'];

/** Whether this browser had a session when it was last here. Scripts cannot see the cookie; without
    this every visitor would begin with a refused call. */
const remembered = new Stored<'in' | 'out'>('session', ['in', 'out'], 'out');

/** The team of the session, for the other windows of this browser. */
const rememberedTeam = new Stored<string>('team', undefined, '');

/** Who is signed in here. */
class Session {
  me = $state.raw<Me | null>(null);
  /** `unknown` until the server was asked. */
  state = $state<'unknown' | 'in' | 'out'>('unknown');

  constructor() {
    credentials.onExpired = () => this.#leave();
    // Another window switched the team: this one shows the wrong team's data.
    rememberedTeam.watch((team) => {
      if (this.me && team !== this.me.team.id) location.reload();
    });
  }

  may(scope: Scope): boolean {
    return this.me?.scopes.includes(scope) ?? false;
  }

  /** Looks up the owner of the cookie, if any. */
  async restore(): Promise<void> {
    if (remembered.value === 'out') {
      this.#leave();
      return;
    }
    try {
      const { data } = await api.GET('/v1/users/me');
      this.#enter(data!);
    } catch (caught) {
      if (!(caught instanceof Problem) || caught.status !== 401) throw caught;
      // The user may have signed in meanwhile.
      if (this.state === 'unknown') this.#leave();
    }
  }

  async signIn(body: components['schemas']['SessionCreate']): Promise<void> {
    const { data } = await api.POST('/v1/sessions', { body });
    this.#enter(data!);
  }

  /** The server has ended it. */
  forget(): void {
    this.#leave();
  }

  /** The session goes on in another of the person's teams, in every window of this browser. */
  async switchTeam(team: string): Promise<void> {
    await api.PUT('/v1/sessions/current/team', { body: { team_id: team } });
    rememberedTeam.value = team;
  }

  /** The same for a page of the team before. */
  async goToTeam(team: string): Promise<void> {
    await this.switchTeam(team);
    // A job or dataset is of one team; what lists them is there in every team.
    const [, place] = location.hash.split('/');
    location.hash = `#/${place?.split('?')[0] || 'home'}`;
    location.reload();
  }

  async signOut(): Promise<void> {
    await api.DELETE('/v1/sessions/current');
    this.#leave();
    // The provider's session, if there is one that ends with this.
    const { data } = await api.POST('/v1/provider-sign-outs');
    if (data!.sign_out_url) location.assign(data!.sign_out_url);
  }

  #enter(me: Me): void {
    credentials.csrfToken = me.csrf_token;
    this.me = me;
    this.state = 'in';
    remembered.value = 'in';
    rememberedTeam.value = me.team.id;
  }

  #leave(): void {
    credentials.csrfToken = null;
    this.me = null;
    this.state = 'out';
    remembered.value = 'out';
  }
}

export const session = new Session();
