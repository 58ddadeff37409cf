import type { components } from '../../api/schema';
import { bytes, count } from '../../design/text/format';

export type Args = components['schemas']['TrainingConfigArgs'];
export type Summary = components['schemas']['TrainingConfigSummary'];
export type Card = components['schemas']['TrainingGpuReport'];
export const cardName = ({ gpu }: Card): string => gpu.name.replace(/^NVIDIA (GeForce )?/, '');

/** What a piece of memory is for, in four families that share a colour. */
export type PartFamily = 'state' | 'activations' | 'passing' | 'overhead' | 'others';

const families: Record<string, PartFamily> = {
  weights: 'state',
  half_weights: 'state',
  gradients: 'state',
  optimizer: 'state',
  optimizer_temporaries: 'passing',
  backward_temporaries: 'passing',
  communication: 'passing',
  batch: 'passing',
  workspace: 'overhead',
  placement: 'overhead',
  fragmentation: 'overhead',
  correction: 'overhead',
  context: 'overhead',
  vllm: 'others',
  other_processes: 'others',
};
export const familyOf = (group: string): PartFamily => families[group] ?? 'activations';

/** The margin on the whole GPU: what PyTorch may reserve, its context, and what others hold. */
export const loadLine = (card: Card): number =>
  card.limit_bytes + card.breakdown.filter(({ group }) => group === 'context' || familyOf(group) === 'others').reduce((sum, part) => sum + part.bytes, 0);

export const familyNames: Record<PartFamily, string> = {
  state: 'Weights, gradients, optimizer',
  activations: 'Activations kept for the backward pass',
  passing: 'Temporary tensors',
  overhead: 'Libraries, allocator, context',
  others: 'vLLM, other processes',
};

const groupNames: Record<string, string> = {
  half_weights: 'half-precision copies of weights',
  optimizer: 'optimizer state',
  optimizer_temporaries: 'temporary buffers of the optimizer',
  backward_temporaries: 'temporary buffers of the backward pass',
  communication: 'gathered weights and exchange buffers',
  placement: 'allowance for different block placement',
  attention_scores: 'attention scores',
  feed_forward: 'feed-forward layers',
  masks: 'dropout masks',
  lora: 'adapters',
  logits: 'logits and loss',
  batch: 'batch data',
  workspace: 'library workspaces',
  correction: 'correction from your measurements',
  context: 'CUDA context (estimate)',
  vllm: 'vLLM beside the trainer',
};
export const groupName = (group: string): string => groupNames[group] ?? group.replaceAll('_', ' ');

const shardings: Record<string, string> = { zero1: 'ZeRO 1', zero2: 'ZeRO 2', zero3: 'ZeRO 3', fsdp_grad_op: 'FSDP (SHARD_GRAD_OP)' };
export const shardingName = (sharding: string): string => shardings[sharding] ?? sharding.toUpperCase();

export const fitWords = { yes: 'Fits', tight: 'Tight', no: 'Does not fit' } as const;
export const fitTones = { yes: 'good', tight: 'caution', no: 'bad' } as const;
export type Fit = keyof typeof fitWords;
export const asFit = (text: string): Fit => (text === 'yes' || text === 'tight' ? text : 'no');

/** Which of two cards suits the run better: one that fits before one that barely does, then the faster, then the smaller. */
export function better(a: Card, b: Card): number {
  const fit = (card: Card) => ['yes', 'tight', 'no'].indexOf(asFit(card.fits));
  return fit(a) - fit(b) || b.speed.samples_per_second - a.speed.samples_per_second || a.gpu.total_bytes - b.gpu.total_bytes;
}

/** Two decimals, for memory of cards: "19.82 GiB". */
export const gibibytes = (value: number): string => `${(value / 2 ** 30).toFixed(value < 2 ** 33 ? 2 : 1)}\u00a0GiB`;

/** Samples in a second, at least three digits of them: "0.124", "1,234". */
export const speedText = (value: number): string => (value >= 100 ? count(value) : String(Number(value.toPrecision(3))));

/** The rule behind a recommended learning rate. */
export const rateRules: Readonly<Record<string, string>> = { unchanged: 'Unchanged', sqrt: 'Square root', linear: 'Linear', surge: 'Surge-capped' };

/** A learning rate as people write it: "5.6e-5"; a dash where none is advised. */
export const rateText = (value: number | null): string =>
  value === null ? '–' : value >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(2).replace(/\.?0+e/, 'e');

export const size = bytes;

/** A probability: "3.2 %", "over 99 %". */
export const riskText = (probability: number): string =>
  probability > 0.99 ? 'over 99\u00a0%' : `${Number((probability * 100).toPrecision(2))}\u00a0%`;

/** Millions or billions of parameters: "109 M", "6.7 B". */
export const parametersText = (value: number): string =>
  value >= 1e9 ? `${(value / 1e9).toFixed(1)}\u00a0B` : value >= 1e6 ? `${(value / 1e6).toFixed(1)}\u00a0M` : `${(value / 1e3).toFixed(0)}\u00a0k`;

/** "forward, layer 3": where memory is highest. */
export const momentText = ({ step, phase, layer }: components['schemas']['TrainingMoment']): string =>
  `step ${step}, ${phase.replaceAll('_', ' ')}${layer === null ? '' : `, layer ${layer}`}`;
