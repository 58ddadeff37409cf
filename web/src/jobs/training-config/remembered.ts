import { Stored } from '../../design/stored.svelte';
import { presets } from './form/draft';

/** What was asked about last in this browser: home page and form begin with it. */
export const lastModel = new Stored<string>('fit.model', presets.flatMap(([, names]) => names), 'bert-base');
/** Empty: the server's default. It may be gone from the catalogue. */
export const lastGpu = new Stored<string>('fit.gpu', undefined, '');
