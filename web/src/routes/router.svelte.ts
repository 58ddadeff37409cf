import { formatAddress, parseAddress } from './address';

class Router {
  address = $state.raw(parseAddress(location.hash));
  /** Counts page changes; the first page after loading is 0. */
  visits = $state(0);

  constructor() {
    addEventListener('hashchange', () => this.#follow());
  }

  #follow(): void {
    const next = parseAddress(location.hash);
    if (next.path !== this.address.path) this.visits += 1;
    this.address = next;
  }

  go(to: string): void {
    location.hash = to;
  }

  /** Goes there, replacing the current address in the history. */
  replace(to: string): void {
    history.replaceState(null, '', to);
    this.#follow();
  }

  /** Writes choices such as filters into the address; empty ones leave it. */
  setQuery(choices: Record<string, string>): void {
    const query = new URLSearchParams(this.address.query);
    for (const [name, value] of Object.entries(choices)) {
      if (value) query.set(name, value);
      else query.delete(name);
    }
    this.replace(formatAddress({ path: this.address.path, query }));
  }
}

export const router = new Router();
