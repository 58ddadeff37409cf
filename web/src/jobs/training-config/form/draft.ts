import type { Args } from '../words';

/** The content of the form's controls, as text: empty means the default. */
export interface Draft {
  source: 'preset' | 'config' | 'dimensions';
  preset: string;
  config: string;
  family: string;
  layers: string;
  hidden: string;
  heads: string;
  ffn: string;
  vocab: string;
  sequence: string;
  precision: string;
  optimizer: string;
  kernel: string;
  attention: string;
  checkpointing: boolean;
  padded: boolean;
  packed: boolean;
  fusedLoss: boolean;
  targets: string;
  lora: string;
  loraTargets: string;
  dora: boolean;
  quantization: string;
  negatives: string;
  frozen: string;
  frozenEmbeddings: boolean;
  lengths: string;
  expandable: boolean;
  gpus: string[];
  probe: boolean;
  batch: string;
  safety: string;
  target: string;
  goal: string;
  baseRate: string;
  baseBatch: string;
  dataset: string;
  epochs: string;
  models: string;
  workers: string;
  cards: string;
  sharding: string;
  offload: string;
  cores: string;
  ram: string;
  curriculum: boolean;
  seenGpu: string;
  seenCpu: string;
  seenMemory: string;
  seenBatch: string;
  seenWorkers: string;
  seenStep: string;
  outOfMemory: boolean;
}

export const freshDraft = (): Draft => ({
  source: 'preset',
  preset: 'bert-base',
  config: '',
  family: 'bert',
  layers: '12',
  hidden: '768',
  heads: '12',
  ffn: '',
  vocab: '',
  sequence: '128',
  precision: 'auto',
  optimizer: 'adamw',
  kernel: 'fused',
  attention: 'sdpa',
  checkpointing: false,
  padded: false,
  packed: false,
  fusedLoss: false,
  targets: '',
  lora: '',
  loraTargets: 'query_value',
  dora: false,
  quantization: 'none',
  negatives: '',
  frozen: '',
  frozenEmbeddings: false,
  lengths: '',
  expandable: false,
  gpus: [],
  probe: false,
  batch: '',
  safety: '0.85',
  target: '',
  goal: 'fill',
  baseRate: '',
  baseBatch: '',
  dataset: '',
  epochs: '3',
  models: '1',
  workers: '1',
  cards: '1',
  sharding: 'ddp',
  offload: 'none',
  cores: '8',
  ram: '',
  curriculum: false,
  seenGpu: '',
  seenCpu: '',
  seenMemory: '',
  seenBatch: '',
  seenWorkers: '',
  seenStep: '',
  outOfMemory: false,
});

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

/** The members that were filled in. Text that is not a number is sent unchanged, so that the server names the rule. */
function numbers(fields: Record<string, string>): Record<string, number> {
  const filled = Object.entries(fields).filter(([, text]) => text.trim() !== '');
  return Object.fromEntries(filled.map(([name, text]) => [name, Number.isNaN(Number(text)) ? (text as never) : Number(text)]));
}

/** "64:900 256:100", with blanks or commas between; the server reports what is not a number. */
const readLengths = (text: string) =>
  text.split(/[\s,;]+/).filter(Boolean).map((pair) => {
    const [tokens = '', samples = ''] = pair.split(':');
    return numbers({ tokens, samples });
  });

const some = <T extends object>(value: T): T | undefined => (Object.keys(value).length > 0 ? value : undefined);

/** The guide's model has settings that no other has, and defaults of its own. */
const isNaics = (draft: Draft): boolean =>
  draft.source === 'preset' ? draft.preset === 'naics-4ch' : draft.source === 'dimensions' && draft.family === 'naics';

function adapters(draft: Draft): Args['training'] {
  if (draft.lora.trim()) return { lora: { ...numbers({ rank: draft.lora }), targets: draft.loraTargets, ...(draft.dora && { dora: true }) } } as Args['training'];
  // Left out, the server would assume those of the guide.
  return isNaics(draft) ? { lora: { rank: 0 } } : {};
}

/** The arguments for these controls. Only the server knows and checks every rule: it refuses what has no effect, so
    that a control's default is sent only where it has one. */
export function toArgs(draft: Draft, config: Record<string, unknown> | undefined): Args {
  const model =
    draft.source === 'preset' ? { preset: draft.preset }
    : draft.source === 'config' ? { config: config ?? {} }
    : {
        dimensions: {
          family: draft.family,
          ...numbers({ layers: draft.layers, hidden: draft.hidden, vocab: draft.vocab }),
          ...(draft.family !== 'lstm' && numbers({ heads: draft.heads, ffn: draft.ffn })),
        },
      };
  const args = {
    model,
    training: {
      ...numbers({ sequence_length: draft.sequence, batch: draft.batch, negatives: draft.negatives, frozen_layers: draft.frozen, target_length: draft.targets }),
      ...(draft.frozenEmbeddings && { frozen_embeddings: true }),
      ...(draft.lengths.trim() && { length_histogram: readLengths(draft.lengths) }),
      precision: draft.precision,
      optimizer: draft.optimizer,
      ...(draft.optimizer === 'adamw' && draft.offload === 'none' && { optimizer_kernel: draft.kernel }),
      ...(draft.attention !== 'sdpa' && { attention: draft.attention }),
      checkpointing: draft.checkpointing,
      ...(draft.padded && { padded: true }),
      ...(draft.packed && { packed: true }),
      ...(draft.fusedLoss && { fused_loss: true }),
      ...(draft.quantization !== 'none' && { quantization: draft.quantization }),
      ...adapters(draft),
    },
    ...(!(['', '1'].includes(draft.cards.trim()) && draft.offload === 'none') && {
      cluster: { cards: 1, ...numbers({ cards: draft.cards }), sharding: draft.sharding, ...(draft.offload !== 'none' && { offload: draft.offload }) },
    }),
    ...(draft.gpus.length > 0 && { gpus: draft.gpus }),
    ...(draft.probe && { probe: true }),
    // A batch that was asked about leaves nothing to recommend.
    ...(draft.batch.trim() === '' && { goal: draft.goal }),
    ...numbers({ safety_margin: draft.safety, target_effective_batch: draft.target }),
    allocator: draft.expandable ? { expandable_segments: true } : undefined,
    learning_rate: some(numbers({ base: draft.baseRate, base_batch: draft.baseBatch })),
    workload: some(numbers({ dataset_size: draft.dataset, epochs: draft.epochs, models: draft.models, parallel_workers: draft.workers })),
    host: some(numbers({ cpu_cores: draft.cores, ram_gib: draft.ram })),
    // Left out, the server would assume the curriculum of its guide.
    stages: !isNaics(draft) ? undefined : draft.curriculum ? curriculum : [],
    observed: some({
      ...numbers({
        gpu_percent: draft.seenGpu,
        cpu_percent: draft.seenCpu,
        memory_percent: draft.seenMemory,
        batch: draft.seenBatch,
        loader_workers: draft.seenWorkers,
        step_seconds: draft.seenStep,
      }),
      ...(draft.outOfMemory && { out_of_memory: true }),
    }),
  };
  return JSON.parse(JSON.stringify(args)) as Args;
}

/** The two stages of the NAICS memory guide. */
const curriculum = [
  { name: '01_stage (early)', positives: 32, negatives: 24 },
  { name: '02-05_stage (later)', positives: 16, negatives: 8 },
];

export const presets: readonly (readonly [string, readonly string[]])[] = [
  ['Encoders', ['bert-base', 'bert-large', 'roberta-base', 'roberta-large', 'distilbert', 'minilm-l6', 'minilm-l12', 'minilm-large', 'finbert', 'deberta-v3-base', 'modernbert-base', 'modernbert-large', 'vit-base']],
  ['Decoders', ['gpt2', 'gpt2-medium', 'gpt2-large', 'gpt2-xl', 'llama-1b', 'llama-3.2-1b', 'llama-7b', 'llama-8b', 'qwen3-0.6b', 'qwen3-4b', 'qwen3-8b', 'gemma-2-2b', 'gemma-3-1b', 'phi-3-mini', 'phi-4', 'mixtral-8x7b']],
  ['Encoder and decoder', ['t5-small', 't5-base', 'flan-t5-base', 'flan-t5-large']],
  ['From the guides', ['naics-4ch', 'temporal', 'lstm']],
];

export const families = ['bert', 'distilbert', 'roberta', 'deberta_v2', 'modernbert', 'vit', 't5', 'gpt2', 'gpt_neox', 'llama', 'qwen3', 'gemma', 'gemma2', 'gemma3', 'phi3', 'naics', 'temporal', 'lstm'];

/** The usual training settings of a preset; the guides' models use their guides' settings. */
export function usualSettings(preset: string): Partial<Draft> {
  if (preset === 'naics-4ch') return { sequence: '512', precision: 'fp16_autocast', checkpointing: true, lora: '8', loraTargets: 'all_linear', negatives: '24', curriculum: true };
  const plain = { checkpointing: false, lora: '', loraTargets: 'query_value', dora: false, packed: false, fusedLoss: false, targets: '', negatives: '', curriculum: false, precision: 'auto' };
  if (preset === 'temporal' || preset === 'lstm') return { ...plain, sequence: '60' };
  if (preset.startsWith('vit')) return { ...plain, sequence: '' };
  if (presets[2]![1].includes(preset)) return { ...plain, sequence: '512' };
  return { ...plain, sequence: presets[1]![1].includes(preset) ? '1024' : '128' };
}
