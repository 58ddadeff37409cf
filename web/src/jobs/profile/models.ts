import { api } from '../../services/client';

/** The sentiment models of the pool, by name. */
export async function listModels(signal?: AbortSignal): Promise<string[]> {
  const { data } = await api.GET('/v1/models', { signal });
  return [...new Set(data!.items.map(({ name }) => name))];
}
