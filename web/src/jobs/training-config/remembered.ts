import { Stored } from '../../design/stored.svelte';
import { presets } from './form/draft';

/** The last question in this browser, with which home page and form begin. */
export const lastModel = new Stored<string>('fit.model', presets.flatMap(([, names]) => names), 'bert-base');
/** Empty: the server's default. It may be gone from the catalogue. */
export const lastGpu = new Stored<string>('fit.gpu', undefined, '');
