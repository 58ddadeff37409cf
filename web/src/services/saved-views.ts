import type { components } from '../api/schema';
import { api, dataOf } from './client';
import { everything } from './pages';

export type SavedView = components['schemas']['SavedView'];

/** The saved views of one page, by name. */
export async function listSavedViews(page: SavedView['page'], signal?: AbortSignal): Promise<SavedView[]> {
  const views = await everything((query) => api.GET('/v1/saved-views', { params: { query }, signal }));
  return views.filter((view) => view.page === page);
}

export const saveView = (view: components['schemas']['SavedViewSpec']): Promise<SavedView> => dataOf(api.PUT('/v1/saved-views', { body: view }));
export const deleteSavedView = async (id: string) => void (await api.DELETE('/v1/saved-views/{view_id}', { params: { path: { view_id: id } } }));
