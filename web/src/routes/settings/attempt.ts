import { announce } from '../../design/feedback/announcer.svelte';
import { asProblem } from '../../services/problem';

/** Runs an action of a page and announces that it is done, or why it is not. Never rejects. */
export async function attempt(action: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await action();
    announce(done);
  } catch (caught) {
    const problem = asProblem(caught);
    announce(problem.detail ?? problem.title, 'bad');
  }
}
