import type { components } from '../api/schema';
import { api, dataOf, ifMatch } from './client';
import { everything } from './pages';

export type Webhook = components['schemas']['Webhook'];
export type WebhookCreate = components['schemas']['WebhookCreate'];
export type WebhookCreated = components['schemas']['WebhookCreated'];
export type Delivery = components['schemas']['WebhookDelivery'];

const one = (id: string) => ({ params: { path: { webhook_id: id } } });

export const listWebhooks = (signal?: AbortSignal): Promise<Webhook[]> => everything((query) => api.GET('/v1/webhooks', { params: { query }, signal }));
export const createWebhook = (webhook: WebhookCreate): Promise<WebhookCreated> => dataOf(api.POST('/v1/webhooks', { body: webhook }));

export const updateWebhook = async ({ id, version }: Webhook, change: components['schemas']['WebhookUpdate']) =>
  void (await api.PATCH('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id }, header: ifMatch(version) }, body: change }));

export const removeWebhook = async (id: string) => void (await api.DELETE('/v1/webhooks/{webhook_id}', one(id)));

/** The latest, newest first. */
export async function listDeliveries(id: string, signal?: AbortSignal): Promise<Delivery[]> {
  const { data } = await api.GET('/v1/webhooks/{webhook_id}/deliveries', {
    params: { path: { webhook_id: id }, query: { limit: 20 } },
    signal,
  });
  return data!.items;
}

export const sendTest = async (id: string) => void (await api.POST('/v1/webhooks/{webhook_id}/deliveries', one(id)));
