import type { components } from '../../../api/schema';
import { api } from '../../../services/client';
import { everything } from '../../../services/pages';

export type Measurement = components['schemas']['TrainingMeasurement'];

/** Measurements of real runs that belong to a job's report, newest first. */
export async function listMeasurements(jobId: string, signal?: AbortSignal): Promise<Measurement[]> {
  return everything((query) => api.GET('/v1/training-measurements', { params: { query: { ...query, job_id: jobId } }, signal }));
}

export async function removeMeasurement(id: string): Promise<void> {
  await api.DELETE('/v1/training-measurements/{measurement_id}', { params: { path: { measurement_id: id } } });
}
