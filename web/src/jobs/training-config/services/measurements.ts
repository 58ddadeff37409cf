import type { components } from '../../../api/schema';
import { api } from '../../../services/client';

export type Measurement = components['schemas']['TrainingMeasurement'];

/** Measurements of real runs that belong to a job's report, newest first. */
export async function listMeasurements(jobId: string, signal?: AbortSignal): Promise<Measurement[]> {
  const { data } = await api.GET('/v1/training-measurements', { params: { query: { job_id: jobId } }, signal });
  return data!.items;
}

export async function removeMeasurement(id: string): Promise<void> {
  await api.DELETE('/v1/training-measurements/{measurement_id}', { params: { path: { measurement_id: id } } });
}
