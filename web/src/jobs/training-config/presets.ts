import type { Args } from './words';

export const presets: readonly (readonly [string, readonly string[]])[] = [
  ['Encoders', ['bert-base', 'bert-large', 'roberta-base', 'roberta-large', 'distilbert', 'minilm-l6', 'minilm-l12', 'minilm-large', 'finbert', 'deberta-v3-base', 'modernbert-base', 'modernbert-large', 'vit-base']],
  ['Decoders', ['gpt2', 'gpt2-medium', 'gpt2-large', 'gpt2-xl', 'llama-1b', 'llama-3.2-1b', 'llama-3.2-3b', 'llama-7b', 'llama-8b', 'llama-70b', 'mistral-7b', 'qwen2.5-0.5b', 'qwen2.5-1.5b', 'qwen2.5-3b', 'qwen2.5-7b', 'qwen2.5-14b', 'qwen2.5-32b', 'qwen2.5-72b', 'qwen3-0.6b', 'qwen3-1.7b', 'qwen3-4b', 'qwen3-8b', 'qwen3-14b', 'qwen3-32b', 'gemma-2-2b', 'gemma-2-9b', 'gemma-2-27b', 'gemma-3-1b', 'gemma-3-4b', 'gemma-3-12b', 'gemma-3-27b', 'mistral-nemo-12b', 'mistral-small-24b', 'phi-3-mini', 'phi-4', 'smollm3-3b', 'gpt-oss-20b', 'mixtral-8x7b', 'qwen3-30b-a3b']],
  ['Encoder and decoder', ['t5-small', 't5-base', 'flan-t5-base', 'flan-t5-large']],
  ['From the guides', ['naics-4ch', 'temporal', 'lstm']],
];

export function usualLength(preset: string): string {
  if (preset === 'temporal' || preset === 'lstm') return '60';
  if (preset.startsWith('vit')) return '';
  if (preset === 'naics-4ch' || presets[2]![1].includes(preset)) return '512';
  return presets[1]![1].includes(preset) ? '1024' : '128';
}

/** The NAICS memory guide's model has settings of its own, and two stages. */
export const isNaics = (preset: string): boolean => preset === 'naics-4ch';
export const naicsTraining = { precision: 'fp16_autocast', checkpointing: true, lora: { rank: 8, targets: 'all_linear' }, negatives: 24 } as const;
export const curriculum = [
  { name: '01_stage (early)', positives: 32, negatives: 24 },
  { name: '02-05_stage (later)', positives: 16, negatives: 8 },
];

/** Text that is not a number is sent unchanged, so that the server names the rule. */
export const numberOf = (text: string): number | string => (Number.isNaN(Number(text)) ? text : Number(text));

/** Arguments with a change of them merged in, as a report's what-ifs say it. */
export function withChange<T extends object>(args: T, change: object): T {
  const merged = Object.entries(change).map(([name, value]) => [name, value !== null && typeof value === 'object' && !Array.isArray(value) ? withChange((args as Record<string, object>)[name] ?? {}, value) : value]);
  return { ...args, ...Object.fromEntries(merged) };
}

/** The question about a preset with its usual settings; everything else is left to the server. */
export function presetArgs(preset: string, length: string, gpus: readonly string[]): Args {
  const own = isNaics(preset) ? naicsTraining : {};
  return {
    model: { preset },
    training: { ...(length.trim() !== '' && { sequence_length: numberOf(length.trim()) }), ...own },
    ...(gpus.length > 0 && { gpus }),
    ...(isNaics(preset) && { stages: curriculum }),
  } as Args;
}

/** The model's `config.json`, or why it is invalid. */
export function readConfig(text: string): { config?: Record<string, unknown>; problem?: string } {
  if (text.trim() === '') return { problem: 'Paste a config.json or choose a file.' };
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
      return { config: config as Record<string, unknown> };
    }
    return { problem: 'A config.json must be an object: { … }.' };
  } catch (failure) {
    return { problem: `This is not JSON: ${(failure as Error).message}` };
  }
}
