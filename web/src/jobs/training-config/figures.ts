import type { components } from '../../api/schema';
import { count, duration } from '../../design/text/format';
import type { Curve, Figure } from '../kind';
import { asFit, better, cardName, fitWords, gibibytes, parametersText, rateText, shardingName, speedText } from './words';

/** Of the card that suits the run best. */
export function figures({ summary }: components['schemas']['TrainingConfigReport']): Figure[] {
  const card = [...summary.gpus].sort(better)[0]!;
  const { memory, speed, learning_rate: rate, shard } = card;
  const effective = card.accumulation?.nearest.effective ?? 0;
  return [
    { name: 'GPU', value: null, text: shard ? `${count(shard.cards)} × ${cardName(card)}, ${shardingName(shard.sharding)}` : cardName(card) },
    { name: 'Fits', value: null, text: fitWords[asFit(card.fits)] },
    { name: 'Batch', value: card.batch, text: count(card.batch) },
    { name: 'Largest batch', value: card.max_batch, text: count(card.max_batch), better: 'more' },
    { name: 'Memory on the GPU', value: memory.device_used_bytes, text: gibibytes(memory.device_used_bytes), better: 'less' },
    { name: 'Memory left', value: card.gpu.total_bytes - memory.device_used_bytes, text: gibibytes(card.gpu.total_bytes - memory.device_used_bytes), better: 'more' },
    { name: 'Samples per second', value: speed.samples_per_second, text: speedText(speed.samples_per_second), better: 'more' },
    { name: 'All epochs', value: speed.hours, text: speed.hours === null ? '–' : duration(speed.hours * 3_600_000), better: 'less' },
    { name: 'Effective batch', value: effective, text: count(effective) },
    { name: 'Learning rate', value: rate.recommended, text: rateText(rate.recommended) },
    { name: 'Trained parameters', value: card.trainable_parameters, text: parametersText(card.trainable_parameters) },
  ];
}

export function curves({ summary }: components['schemas']['TrainingConfigReport']): Curve[] {
  const { curve } = [...summary.gpus].sort(better)[0]!;
  return [
    { name: 'Reserved memory', points: curve.map(({ batch, reserved_bytes }) => [batch, reserved_bytes]), text: gibibytes, unit: 2 ** 30 },
    { name: 'Samples per second', points: curve.map(({ batch, samples_per_second }) => [batch, samples_per_second]), text: speedText },
  ];
}
