// The training advisor's answers: recorded once from the real server, thinned, and turned as a test needs them.
import { makeJob } from './data.mjs';
import { exists } from './edits.mjs';
import { recorded } from './recorded.mjs';

export const gpuProfiles = { ...recorded.gpuProfiles, items: recorded.gpuProfiles.items.map((card) => ({ ...card, version: '0' })) };
const summary = recorded.trainingSummary;

export const args = {
  model: { preset: 'naics-4ch' },
  training: { sequence_length: 512, precision: 'fp16_autocast', checkpointing: true, lora: { rank: 8 } },
  gpus: summary.gpus.map((card) => card.gpu.id),
};

export const trainingJob = (fields = {}) =>
  makeJob('job_training0000', {
    kind: 'training-config',
    name: 'Early curriculum',
    state: 'succeeded',
    args,
    started_at: new Date().toISOString(),
    finished_at: new Date().toISOString(),
    progress: { items_total: 2, items_done: 2, items_failed: 0, eta_seconds: null },
    ...fields,
  });

export const trainingReport = (job, fields = {}) => ({
  job_id: job.id,
  kind: job.kind,
  created_at: job.finished_at,
  items: { total: 2, ok: 2, failed: 0 },
  summary: { ...structuredClone(summary), ...fields },
});

export const measurement = (job, fields = {}) => ({
  id: 'meas_0000000000004',
  source: 'run',
  job_id: job.id,
  gpu: { name: 'NVIDIA GeForce RTX 4090', total_bytes: 25_393_692_672, id: 'rtx_4090' },
  model: 'naics-4ch',
  comparison_key: 'naics fp16_autocast checkpointing lora',
  batch: 16,
  accumulation: 16,
  predicted: { peak_reserved_bytes: 17_943_232_512, peak_allocated_bytes: 17_029_816_832, context_bytes: 536_870_912, step_seconds: 38, max_batch: 18 },
  measured: { peak_reserved_bytes: 18_302_097_162, peak_allocated_bytes: 17_100_000_000, step_seconds: 35.5 },
  ratio: 1.02,
  samples: [],
  created_at: new Date().toISOString(),
  ...fields,
});

export const customCard = (id, put) => ({ ...structuredClone(gpuProfiles.items[0]), id, name: put.name ?? id, architecture: 'custom', custom: true, version: '1', guide: null });

/** Of a configuration with a run. */
export const comparison = {
  structure: 'Lightning trainer and data',
  changes: [
    { line: 2, place: 'data_loader.batch_size', before: '4', after: '16', followed_on_lines: [] },
    { line: 3, place: 'trainer.precision', before: null, after: '16-mixed', followed_on_lines: [] },
  ],
  left: [{ line: 4, place: 'trainer.accumulate_grad_batches', wanted: '16', why: 'it is an interpolation' }],
  differs: ['max_seq_length is 4096; the estimate is for 512 tokens'],
  notes: [],
  proposals: [],
};

/** Of a recorded step with the predicted one: the second half of the recorded one holds more. */
export function memoryComparison() {
  const gib = 2 ** 30;
  const allocations = Array.from({ length: 40 }, (_, at) => at * 3);
  const bytes = (of) => allocations.map((_, at) => Math.round(of(at) * gib));
  const run = (more) => ({
    peak_allocated_bytes: Math.round((6.4 + more) * gib),
    peak_reserved_bytes: Math.round((7 + more) * gib),
    stage: 'backward',
    parts_bytes: { state: 2 * gib, gradients: Math.round(gib / 10), activations: Math.round((4 + more) * gib), temporary: Math.round(0.3 * gib) },
    step: {
      allocations,
      state_bytes: bytes(() => 2),
      gradients_bytes: bytes((at) => Math.max(0, at - 20) / 20),
      activations_bytes: bytes((at) => (20 - Math.abs(20 - at)) / 5 + (at > 12 && at < 30 ? more : 0)),
      temporary_bytes: bytes((at) => 0.1 * (at % 4)),
    },
  });
  const parting = { equal: 36, at_recorded: 37, at_predicted: 37, recorded: { bytes: 1_503_238_554, stage: 'forward', where: 'forward (modeling_naics.py:218)' }, predicted: null };
  return { events: 1_234_567, compared: true, recorded: run(1.4), predicted: run(0), parting };
}

export const routes = [
  [/^POST \/v1\/jobs\/job_training0000\/memory-comparisons$/, (fake, { response, json }) => json(response, 200, fake.memoryComparison ?? memoryComparison())],
  [/^GET \/v1\/gpu-profiles$/, (fake, { response, json }) => json(response, 200, { ...gpuProfiles, items: [...gpuProfiles.items.filter((one) => !fake.cards.some(({ id }) => id === one.id)), ...fake.cards] })],
  [/^PUT \/v1\/gpu-profiles\/([^/]+)$/, (fake, context) => {
    const { call, response, parameters, json } = context;
    if (exists(context, [...gpuProfiles.items, ...fake.cards].find(({ id }) => id === parameters[0]))) return;
    const card = customCard(parameters[0], call.body);
    fake.cards = [...fake.cards.filter(({ id }) => id !== card.id), card];
    json(response, 200, card);
  }],
  [/^DELETE \/v1\/gpu-profiles\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.cards = fake.cards.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
  [/^POST \/v1\/configuration-comparisons$/, (_, { response, json }) => json(response, 200, comparison)],
  [/^GET \/v1\/training-measurements$/, (fake, { call, response, json }) => {
    const job = call.query.get('job_id');
    json(response, 200, { items: fake.measurements.filter((one) => !job || one.job_id === job), next_cursor: null });
  }],
  [/^DELETE \/v1\/training-measurements\/([^/]+)$/, (fake, { response, parameters, json }) => {
    fake.measurements = fake.measurements.filter(({ id }) => id !== parameters[0]);
    json(response, 204);
  }],
];

/** What a card that is too small answers. */
export function tooSmall() {
  const { gpus, ...rest } = structuredClone(summary);
  const card = gpus[0];
  const used = Math.round(card.gpu.total_bytes * 1.4);
  const memory = {
    ...card.memory,
    device_used_bytes: used,
    peak_reserved_bytes: used - card.gpu.context_bytes,
    utilization_percent: 140,
    headroom_bytes: card.gpu.total_bytes - used,
    band: { low: 0.95, high: 1.06, low_bytes: Math.round(used * 0.95), high_bytes: Math.round(used * 1.06) },
  };
  const why = "One sample needs 32.9 GiB; within the margin of 0.85, 20.0 GiB of the GPU's 23.5 GiB may be used.";
  const [{ samples_per_second, seconds_per_batch }] = card.curve;
  const curve = [{ batch: 1, reserved_bytes: memory.peak_reserved_bytes, samples_per_second, seconds_per_batch }];
  const knee = { batch: 1, samples_per_second, best_samples_per_second: samples_per_second };
  const none = { accumulation: null, diagnosis: [], max_batch: 0, parallel_runs: 0, stages: [], what_ifs: [{ change: 'gradient checkpointing + 8-bit Adam', arguments: { training: { checkpointing: true, optimizer: 'adam_8bit' } }, max_batch: 4, batch_factor: 4, speed_factor: 0.8 }] };
  const words = { batch_reason: 'nothing_fits', batch_why: 'Not even one sample fits.' };
  return { ...rest, comparisons: [], gpus: [{ ...card, ...none, ...words, fits: 'no', why, batch: 1, memory, curve, knee }] };
}

/** The estimate of what was asked: the recorded cards, with the batch that was asked for. */
export function estimate(spec) {
  const wanted = spec.args.gpus ?? [gpuProfiles.default];
  const chosen = summary.gpus.filter((card) => wanted.includes(card.gpu.id));
  const gpus = structuredClone(chosen.length > 0 ? chosen : summary.gpus.slice(0, 1));
  const batch = spec.args.training?.batch;
  if (batch) for (const card of gpus) Object.assign(card, { batch, why: `A batch of ${batch}, as asked.` });
  // Without what-ifs only what does not fit has ways out.
  if (spec.args.what_ifs === false) for (const card of gpus) if (card.fits !== 'no') card.what_ifs = [];
  const comparisons = gpus.length > 1 ? structuredClone(summary.comparisons) : [];
  return { kind: spec.kind, summary: { ...structuredClone(summary), gpus, comparisons } };
}
