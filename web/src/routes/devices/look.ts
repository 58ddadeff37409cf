import type { Tone } from '../../design/feedback/Badge.svelte';
import type { Device } from '../../services/devices';
import type { Hold } from '../../services/queue';

const looks: Record<string, [Tone, string]> = {
  ready: ['good', 'Ready'],
  busy: ['active', 'Busy'],
  failed: ['bad', 'Failed'],
  gone: ['ended', 'Gone'],
};

/** Whether the device has a worker that can take work, but for holds. */
const isLive = ({ state }: Device): boolean => ['ready', 'busy'].includes(state);

/** The hold that stops a device, if one does. */
const holdOf = (device: Device, holds: readonly Hold[]): Hold | undefined =>
  holds.find(
    (hold) =>
      hold.scope !== 'team' &&
      (hold.device_class === device.device_class || (hold.node === device.node && (hold.device === null || hold.device === device.device))),
  );

/** Whether the device works or is ready for work: no hold stops it. */
export const isInUse = (device: Device, holds: readonly Hold[]): boolean => isLive(device) && !holdOf(device, holds);

/** The state of a device, including holds. Unknown states of newer servers are shown by name. */
export function lookOf(device: Device, holds: readonly Hold[]): [Tone, string] {
  const hold = isLive(device) ? holdOf(device, holds) : undefined;
  if (!hold) return looks[device.state] ?? ['waiting', device.state];
  return ['caution', hold.mode === 'pause' ? 'Paused' : device.tasks_running > 0 ? 'Draining' : 'Drained'];
}
