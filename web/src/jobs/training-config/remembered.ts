import { Stored } from '../../design/stored.svelte';
import { presets } from './presets';

/** The last question in this browser, with which home page and form begin. */
export const lastModel = new Stored<string>('fit.model', presets.flatMap(([, names]) => names), 'bert-base');
/** Empty: the server's default. It may be gone from the catalogue. */
export const lastGpu = new Stored<string>('fit.gpu', undefined, '');

/** A question of the home page, and its answer in a few words. */
export interface Asked {
  model: string;
  length: string;
  gpu: string;
  words: string;
}
const mostAsked = 4;
const kept = new Stored<string>('fit.asked', undefined, '[]');

/** The last questions in this browser, the newest first. */
export function askedBefore(): readonly Asked[] {
  try {
    return (JSON.parse(kept.value) as Asked[]).filter((one) => ['model', 'length', 'gpu', 'words'].every((name) => typeof one[name as keyof Asked] === 'string'));
  } catch {
    return [];
  }
}
export const sameQuestion = (a: Asked, b: Asked): boolean => a.model === b.model && a.length === b.length && a.gpu === b.gpu;

export function keepAsked(asked: Asked): void {
  kept.value = JSON.stringify([asked, ...askedBefore().filter((one) => !sameQuestion(one, asked))].slice(0, mostAsked));
}
