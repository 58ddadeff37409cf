import { announce } from '../design/feedback/announcer.svelte';
import { asProblem } from './problem';

/** Runs an action without a form and announces that it is done, where the page does not show it, or why it is not. Returns
    whether it is. `undo`, if it can be taken back: how, and what the page does afterwards. */
export async function attempt<Result>(action: () => Promise<Result>, done?: string | ((result: Result) => string), undo?: () => Promise<unknown>): Promise<boolean> {
  try {
    const result = await action();
    if (done) announce(typeof done === 'string' ? done : done(result), 'neutral', undo && (() => void attempt(undo, 'Undone')));
    return true;
  } catch (caught) {
    const problem = asProblem(caught);
    announce(problem.detail ?? problem.title, 'bad');
    return false;
  }
}
