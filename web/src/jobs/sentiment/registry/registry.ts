import type { components } from '../../../api/schema';
import { bytes, count, decimal, duration } from '../../../design/text/format';
import { api, dataOf } from '../../../services/client';
import type { Model } from '../models';

export type Operation = components['schemas']['SentimentModelOperation'];
export type NewOperation = components['schemas']['SentimentModelOperationCreate'];
export type Proof = components['schemas']['SentimentProof'];

export const listOperations = async (signal?: AbortSignal): Promise<Operation[]> => (await dataOf(api.GET('/v1/model-operations', { signal }))).items;
export const startOperation = (body: NewOperation): Promise<Operation> => dataOf(api.POST('/v1/model-operations', { body }));
export const cancelOperation = async (operation_id: string) => void (await api.POST('/v1/model-operations/{operation_id}/cancellation', { params: { path: { operation_id } } }));
export const removeModel = async (model: string, force: boolean) => void (await api.DELETE('/v1/models/{model}', { params: { path: { model }, query: { force } } }));

/** What would miss the model, as a sentence; nothing if nothing uses it. */
export async function useOf(model: string): Promise<string | undefined> {
  const { data } = await api.GET('/v1/models/{model}/use', { params: { path: { model } } });
  return data!.used ? data!.detail : undefined;
}

export const runs = ({ state }: Operation): boolean => state === 'running' || state === 'cancelling';

/** Whether the server's machine has its files. */
export const isHere = ({ files }: Model): boolean => files.length > 0;

/** The nodes that have it. */
export const nodesOf = ({ devices }: Model): string[] => [...new Set(devices.map((device) => device.slice(0, device.indexOf('/'))))];

/** "fp32, int8": forms that it may score in. */
export const formsOf = ({ hash, proofs }: Model): string =>
  hash === null ? '–' : ['fp32', ...new Set(proofs.filter(({ passed }) => passed).map(({ form }) => form))].join(', ');

const share = (part: number, whole: number) => `${decimal((100 * part) / whole, 2)} %`;

/** What the guard found of a form. */
export const proofText = (proof: Proof): string =>
  [
    `${share(proof.same_label, proof.texts)} of ${count(proof.texts)} labels match fp32`,
    proof.flips > 0 && `${count(proof.flips)} differ where fp32 is certain`,
    `99 % of probabilities within ${decimal(proof.difference_p99, 4)}, all within ${decimal(proof.difference_max, 4)}`,
    proof.outlier_columns > 0 && `${count(proof.outlier_columns)} outlier columns, up to ${decimal(proof.outlier_ratio, 0)} times the median`,
    `${decimal(proof.speedup, 2)} times as fast`,
  ].filter(Boolean).join('; ');

export const progressText = ({ bytes_done, bytes_total }: Operation): string => (bytes_total > 0 ? `${bytes(bytes_done)} of ${bytes(bytes_total)}` : 'starting');

export const tookText = ({ started_at, finished_at }: Operation): string => (finished_at ? ` in ${duration(Date.parse(finished_at) - Date.parse(started_at))}` : '');
