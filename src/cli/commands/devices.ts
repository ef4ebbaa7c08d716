/** `reins devices`: who was let in, with what right, and when it was last here; another name, or out. Works with and without a hub. */
import { ReinsError } from '../../contract/index.js';
import { type KnownDevice, readDevices, removeDevice, renameDevice, shownDevice } from '../../hub/local.js';
import { refuseConsulted, refuseInside } from '../../sessions/inside.js';
import type { Context } from '../context.js';
import { duration, harmless, table } from '../table.js';

interface DeviceFlags {
  json?: boolean;
}

export async function list({ channels, env }: Context, flags: DeviceFlags): Promise<number> {
  const all = readDevices(env, Date.now()).map((device) => shownDevice(env, device));
  if (flags.json) channels.json(all);
  else if (all.length === 0) channels.chrome('No device is let in. A link for one: reins pair');
  else {
    const rows = all.map((one) => [
      one.id,
      harmless(one.name),
      one.right,
      one.session === undefined ? one.namespaces.join(', ') : `session ${one.session}`,
      ago(one.last_used_at ?? one.created_at),
      one.expires_at === undefined ? '' : `until ${one.expires_at}`,
      one.push ? 'push' : '',
    ]);
    channels.out(`${table(['ID', 'NAME', 'MAY', 'SEES', 'USED', '', ''], rows)}\n`);
  }
  return 0;
}

export async function revoke(context: Context, wanted: string, flags: DeviceFlags): Promise<number> {
  const device = mine(context, wanted, 'let a device out');
  if (!removeDevice(context.env, device.id)) throw new ReinsError('NO_SUCH_DEVICE', { device: wanted });
  if (flags.json) context.channels.json({ id: device.id, revoked: true });
  else
    context.channels.chrome(`${harmless(device.name)} is out: its pages are closed, its key opens nothing any more.`);
  return 0;
}

export async function rename(context: Context, wanted: string, words: string[], flags: DeviceFlags): Promise<number> {
  const { id } = mine(context, wanted, 'name a device');
  renameDevice(context.env, id, words.join(' '));
  const [now] = readDevices(context.env, Date.now()).filter((one) => one.id === id);
  if (flags.json) context.channels.json(now && shownDevice(context.env, now));
  else context.channels.chrome(`Device ${id} is called ${harmless(now?.name ?? '')} now.`);
  return 0;
}

/** By its id, the unique beginning of one, or its name. */
function mine(context: Context, wanted: string, what: string): KnownDevice {
  refuseConsulted(context);
  refuseInside(context, what, 'run it from a terminal of your own');
  const all = readDevices(context.env, Date.now());
  const exact = all.filter(({ id, name }) => id === wanted || name === wanted);
  const found = exact.length > 0 ? exact : all.filter(({ id }) => wanted.length >= 3 && id.startsWith(wanted));
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw new ReinsError('NO_SUCH_DEVICE', { device: wanted });
  const ids = found.map(({ id }) => id).join(', ');
  throw new ReinsError('USAGE', { problem: `${wanted} fits several devices: ${ids}`, fix: 'give the id' });
}

function ago(at: string): string {
  const ms = Date.now() - Date.parse(at);
  return Number.isFinite(ms) ? `${duration(Math.max(0, ms) / 1000)} ago` : '?';
}
