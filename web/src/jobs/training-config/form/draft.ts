import described from '../../../api/options.json';
import { curriculum, isNaics, naicsTraining, numberOf, usualLength } from '../presets';
import type { Args } from '../words';

/** A control of the form: an argument with x-label in the contract. */
export interface Option {
  pointer: string;
  label: string;
  hint?: string;
  isToggle: boolean;
  /** The default; empty: there is none. */
  usual: string;
  /** A selection's values and their labels. */
  words?: readonly (readonly [string, string])[];
}

/** What some controls show at first; without adapters, their rank has no default. */
const first: Record<string, string> = {
  '/model/dimensions/layers': '12',
  '/model/dimensions/hidden': '768',
  '/model/dimensions/heads': '12',
  '/training/sequence_length': '128',
  '/training/lora/rank': '',
};

export const options: readonly Option[] = (described.TrainingConfigArgs as unknown as readonly Option[]).map((option) =>
  option.pointer in first ? { ...option, usual: '' } : option,
);
/** Whether a text may stay empty. */
export const isOptional = ({ pointer, usual, words }: Option): boolean => !usual && !words && !first[pointer];

/** The content of the form's controls. */
export interface Draft {
  source: 'preset' | 'config' | 'dimensions';
  preset: string;
  config: string;
  gpus: string[];
  curriculum: boolean;
  /** Of each option, by its pointer, as text: empty means the default, and a box is 'true' or 'false'. */
  values: Record<string, string>;
}

export const freshDraft = (): Draft => ({
  source: 'preset',
  preset: 'bert-base',
  config: '',
  gpus: [],
  curriculum: false,
  values: Object.fromEntries(options.map(({ pointer, usual, words }) => [pointer, first[pointer] ?? (usual || (words?.[0]?.[0] ?? ''))])),
});

/** A draft about a preset, with its usual settings. */
export const draftOf = (preset: string): Draft => withUsualSettings({ ...freshDraft(), preset }, preset);

export function withUsualSettings(draft: Draft, preset: string): Draft {
  return { ...draft, curriculum: isNaics(preset), values: { ...draft.values, ...usualSettings(preset) } };
}

/** "64:900 256:100", with blanks or commas between; the server reports what is not a number. */
const readLengths = (text: string) =>
  text.split(/[\s,;]+/).filter(Boolean).map((pair) => {
    const [tokens = '', samples = ''] = pair.split(':');
    return { tokens: numberOf(tokens), samples: samples === '' ? undefined : numberOf(samples) };
  });

function valueOf({ pointer, isToggle, words }: Option, text: string): unknown {
  if (pointer === '/training/length_histogram') return readLengths(text);
  return isToggle ? text === 'true' : words ? text : numberOf(text);
}

const isOfNaics = ({ source, preset, values }: Draft): boolean =>
  source === 'preset' ? isNaics(preset) : source === 'dimensions' && values['/model/dimensions/family'] === 'naics';

/** Whether an option is part of the question: what a control of another choice shows is not. */
function belongs(pointer: string, { source, values }: Draft): boolean {
  const is = (other: string, ...texts: string[]) => texts.includes(values[other]!.trim());
  if (pointer.startsWith('/model/dimensions/'))
    return source === 'dimensions' && !(is('/model/dimensions/family', 'lstm') && /heads$|ffn$/.test(pointer));
  // A batch that was asked about leaves nothing to recommend.
  if (pointer === '/goal') return is('/training/batch', '');
  if (pointer.startsWith('/training/lora/')) return !is('/training/lora/rank', '');
  if (pointer === '/training/optimizer_kernel') return is('/training/optimizer', 'adamw') && is('/cluster/offload', 'none');
  if (pointer === '/cluster/sharding') return !(is('/cluster/cards', '', '1') && is('/cluster/offload', 'none'));
  return true;
}

type Members = { [name: string]: unknown };

function put(args: Members, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split('/');
  const last = names.pop()!;
  let around = args;
  for (const name of names) around = (around[name] ??= {}) as Members;
  around[last] = value;
}

/** The arguments for these controls. Only the server knows and checks every rule; defaults are left to it. */
export function toArgs(draft: Draft, config?: Record<string, unknown>): Args {
  const args: Members = { training: {} };
  if (draft.source === 'preset') put(args, '/model/preset', draft.preset);
  if (draft.source === 'config') put(args, '/model/config', config ?? {});
  if (isOfNaics(draft)) {
    // Left out, the server would assume those of the guide.
    put(args, '/training/checkpointing', false);
    put(args, '/training/lora/rank', 0);
    args.stages = draft.curriculum ? curriculum : [];
  }
  if (draft.gpus.length > 0) args.gpus = draft.gpus;
  for (const option of options) {
    const text = draft.values[option.pointer]!.trim();
    if (text !== '' && text !== option.usual && belongs(option.pointer, draft)) put(args, option.pointer, valueOf(option, text));
  }
  return JSON.parse(JSON.stringify(args)) as Args;
}

/** The usual training settings of a preset; the guides' models use their guides' settings. */
function usualSettings(preset: string): Record<string, string> {
  return {
    '/training/sequence_length': usualLength(preset), '/training/precision': 'auto', '/training/checkpointing': 'false', '/training/lora/rank': '',
    '/training/lora/targets': 'query_value', '/training/lora/dora': 'false', '/training/packed': 'false', '/training/fused_loss': 'false',
    '/training/target_length': '', '/training/negatives': '', ...(isNaics(preset) ? flat(naicsTraining, '/training') : {}),
  };
}

const flat = (members: object, at: string): Record<string, string> =>
  Object.fromEntries(Object.entries(members).flatMap(([name, value]) =>
    typeof value === 'object' ? Object.entries(flat(value as object, `${at}/${name}`)) : [[`${at}/${name}`, String(value)]],
  ));
