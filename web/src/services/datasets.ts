import type { components } from '../api/schema';
import { api, dataOf } from './client';

export type Dataset = components['schemas']['Dataset'];
export type DatasetPage = components['schemas']['DatasetPage'];
export type NewDataset = components['schemas']['DatasetCreate'];
export type DatasetRecords = components['schemas']['DatasetRecords'];
export type DatasetRecord = components['schemas']['DatasetRecord'];
export type DatasetErrors = components['schemas']['DatasetErrors'];
export type DatasetError = components['schemas']['DatasetError'];

/** Of a file, as openapi.yaml states it. */
export const largestFile = 512 * 1024 * 1024; // bytes

/** How a job names it; that of a schedule names the last upload of its name, or waits for a new one. */
export const reference = ({ id, name }: Dataset, repeated?: 'newest' | 'new'): string => (repeated ? `${repeated}:${name}` : id);

const one = (id: string) => ({ path: { dataset_id: id } });

export const listDatasets = (cursor?: string, signal?: AbortSignal): Promise<DatasetPage> => dataOf(api.GET('/v1/datasets', { params: { query: { cursor, limit: 50 } }, signal }));
export const readDataset = (id: string, signal?: AbortSignal): Promise<Dataset> => dataOf(api.GET('/v1/datasets/{dataset_id}', { params: one(id), signal }));
export const createDataset = (dataset: NewDataset): Promise<Dataset> => dataOf(api.POST('/v1/datasets', { body: dataset }));

/** Sends the bytes of the file that begin at `offset`, which must be where the upload stands. */
export async function sendPart(id: string, offset: number, bytes: Blob, signal: AbortSignal): Promise<Dataset> {
  const { data } = await api.PUT('/v1/datasets/{dataset_id}/content', {
    params: { ...one(id), query: { offset } },
    // The types know binary bodies as text only.
    body: bytes as unknown as string,
    bodySerializer: (body) => body,
    headers: { 'Content-Type': 'application/octet-stream' },
    signal,
  });
  return data!;
}

/** At most 200 records from `first` on. */
export const readRecords = (id: string, first: number, limit: number, signal?: AbortSignal): Promise<DatasetRecords> =>
  dataOf(api.GET('/v1/datasets/{dataset_id}/records', { params: { ...one(id), query: { offset: first, limit } }, signal }));

/** The lines that cannot be read, a page of them. */
export async function listErrors(id: string, cursor?: string, signal?: AbortSignal): Promise<DatasetErrors> {
  const params = { ...one(id), query: { cursor, limit: 20 } };
  const { data } = await api.GET('/v1/datasets/{dataset_id}/errors', { params, signal });
  // The types know all forms of the answer, but not which one the query asks for.
  return data as DatasetErrors;
}

export const deleteDataset = async (id: string) => void (await api.DELETE('/v1/datasets/{dataset_id}', { params: one(id) }));
