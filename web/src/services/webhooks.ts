import type { components } from '../api/schema';
import { api, ifMatch } from './client';
import { everything } from './pages';

export type Webhook = components['schemas']['Webhook'];
export type WebhookCreate = components['schemas']['WebhookCreate'];
export type WebhookCreated = components['schemas']['WebhookCreated'];
export type Delivery = components['schemas']['WebhookDelivery'];

const one = (id: string) => ({ params: { path: { webhook_id: id } } });

export async function listWebhooks(signal?: AbortSignal): Promise<Webhook[]> {
  return everything((query) => api.GET('/v1/webhooks', { params: { query }, signal }));
}

export async function createWebhook(webhook: WebhookCreate): Promise<WebhookCreated> {
  const { data } = await api.POST('/v1/webhooks', { body: webhook });
  return data!;
}

export async function updateWebhook({ id, version }: Webhook, change: components['schemas']['WebhookUpdate']): Promise<void> {
  await api.PATCH('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id }, header: ifMatch(version) }, body: change });
}

export async function removeWebhook(id: string): Promise<void> {
  await api.DELETE('/v1/webhooks/{webhook_id}', one(id));
}

/** The latest, newest first. */
export async function listDeliveries(id: string, signal?: AbortSignal): Promise<Delivery[]> {
  const { data } = await api.GET('/v1/webhooks/{webhook_id}/deliveries', {
    params: { path: { webhook_id: id }, query: { limit: 20 } },
    signal,
  });
  return data!.items;
}

export async function sendTest(id: string): Promise<void> {
  await api.POST('/v1/webhooks/{webhook_id}/deliveries', one(id));
}
