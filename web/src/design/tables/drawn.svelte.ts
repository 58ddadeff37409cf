import { inTurn } from '../layout/turns';

const atOnce = 20; // more than a window shows

/** How many rows of a table are drawn: a window of them first, then the others in tasks of their own, so that nothing
    waits long for a long table. What was drawn once stays so. */
export class Drawn {
  rows = $state(atOnce);

  constructor(total: () => number) {
    $effect(() => {
      return this.rows < total() ? inTurn(() => (this.rows += atOnce)) : undefined;
    });
  }
}
