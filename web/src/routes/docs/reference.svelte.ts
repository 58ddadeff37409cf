import { afterTurns } from '../../design/layout/turns';
import { readContract } from '../../services/contract';
import { Loader } from '../../services/loader.svelte';
import { ApiReference } from './model';

/** What all pages of the documentation share: the contract, fetched once, and what is searched for. */
class Shared {
  readonly loader = new Loader<ApiReference>(true);
  search = $state('');
  #asked = false;

  load(): void {
    this.#asked = true;
    void this.loader.load(async (signal) => {
      const contract = await readContract(signal);
      await afterTurns(); // half a MB was parsed: what is made of it is a task of its own
      return new ApiReference(contract);
    });
  }

  ensure(): void {
    if (!this.#asked || this.loader.problem) this.load();
  }
}

export const shared = new Shared();
