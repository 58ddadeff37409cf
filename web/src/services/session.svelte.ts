import type { components } from '../api/schema';
import { api, credentials } from './client';
import { Problem } from './problem';

export type Me = components['schemas']['Me'];
export type Scope = components['schemas']['Scope'];

/** Who is signed in here. */
class Session {
  me = $state.raw<Me | null>(null);
  /** `unknown` until the server was asked. */
  state = $state<'unknown' | 'in' | 'out'>('unknown');

  constructor() {
    credentials.onExpired = () => this.#leave();
  }

  may(scope: Scope): boolean {
    return this.me?.scopes.includes(scope) ?? false;
  }

  /** Asks who the cookie belongs to; nobody is an answer, too. */
  async restore(): Promise<void> {
    try {
      const { data } = await api.GET('/v1/users/me');
      this.#enter(data!);
    } catch (caught) {
      if (!(caught instanceof Problem) || caught.status !== 401) throw caught;
      // Somebody may have signed in while the question was on its way.
      if (this.state === 'unknown') this.#leave();
    }
  }

  /** Takes the token of a sign-in link or an API token, told apart by their prefix. */
  async signIn(token: string): Promise<void> {
    const body = token.startsWith('plm_signin_') ? { sign_in_token: token } : { token };
    const { data } = await api.POST('/v1/sessions', { body });
    this.#enter(data!);
  }

  async signOut(): Promise<void> {
    await api.DELETE('/v1/sessions/current');
    this.#leave();
  }

  #enter(me: Me): void {
    credentials.csrfToken = me.csrf_token;
    this.me = me;
    this.state = 'in';
  }

  #leave(): void {
    credentials.csrfToken = null;
    this.me = null;
    this.state = 'out';
  }
}

export const session = new Session();
