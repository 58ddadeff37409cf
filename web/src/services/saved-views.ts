import type { components } from '../api/schema';
import { api } from './client';
import { everything } from './pages';

export type SavedView = components['schemas']['SavedView'];

/** The saved views of one page, by name. */
export async function listSavedViews(page: SavedView['page'], signal?: AbortSignal): Promise<SavedView[]> {
  const views = await everything((query) => api.GET('/v1/saved-views', { params: { query }, signal }));
  return views.filter((view) => view.page === page);
}

export async function saveView(view: components['schemas']['SavedViewSpec']): Promise<SavedView> {
  const { data } = await api.PUT('/v1/saved-views', { body: view });
  return data!;
}

export async function deleteSavedView(id: string): Promise<void> {
  await api.DELETE('/v1/saved-views/{view_id}', { params: { path: { view_id: id } } });
}
