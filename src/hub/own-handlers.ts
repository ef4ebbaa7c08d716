/** The routes about devices themselves: who asks, a ticket for the socket, who else is in, and letting in and out. */
import { allows, type Clock, ReinsError } from '../contract/index.js';
import type { Where } from '../sessions/index.js';
import { type KnownDevice, renameDevice, shownDevice } from './device-files.js';
import type { Devices } from './devices.js';
import type { HubHandlers } from './handlers.js';
import { makeOffer, pairLink } from './offers.js';
import type { HubOrigins } from './origins.js';
import { isWithin, sessionFor } from './scope.js';
import type { Tickets } from './tickets.js';

/** A guest that nobody gave a time. */
const GUEST_MINUTES = 24 * 60;

export type OwnHandlers = Pick<HubHandlers, 'me' | 'ticket' | 'devices' | 'invite' | 'rename' | 'revoke'>;

export interface OwnParts {
  where: Where;
  clock: Clock;
  devices: Devices;
  tickets: Tickets;
  origins: HubOrigins;
  name: string;
}

export function ownHandlers({ where, clock, devices, tickets, origins, name }: OwnParts): OwnHandlers {
  const { env } = devices;
  /** Oneself, or with the right to it any that sees no more than oneself; others are not there. */
  const target = (device: KnownDevice, id: string): KnownDevice => {
    const found = devices.get(id === 'me' ? device.id : id);
    const mayOthers = allows(device.right, 'admin') && device.session === undefined;
    if (!found || (found.id !== device.id && !(mayOthers && isWithin(found, device))))
      throw new ReinsError('NO_SUCH_DEVICE', { device: id });
    return found;
  };
  return {
    me: ({ device }) => ({ device: shownDevice(env, device, device.id), hub: { version: where.version, name } }),
    ticket: ({ device }) => ({ ticket: tickets.issue(device.id) }),
    devices: ({ device }) =>
      devices
        .all()
        .filter((one) => isWithin(one, device))
        .map((one) => shownDevice(env, one, device.id)),
    invite({ device, args }) {
      const { right, session, minutes } = args;
      if (!allows(device.right, right))
        throw new ReinsError('RIGHT_MISSING', { what: 'invite', need: right, may: device.right });
      if (session !== undefined) sessionFor(where, device, session);
      const lasts = minutes ?? (session === undefined ? undefined : GUEST_MINUTES);
      const offer = makeOffer(
        env,
        {
          right,
          namespaces: device.namespaces,
          by: device.id,
          ...(session === undefined ? {} : { session }),
          ...(args.name === undefined ? {} : { name: args.name }),
          ...(lasts === undefined ? {} : { lasts_ms: lasts * 60_000 }),
        },
        clock.now(),
      );
      return { link: pairLink(origins.main.origin, offer.secret), expires_at: new Date(offer.until).toISOString() };
    },
    rename({ device, id, args }) {
      const one = target(device, id);
      renameDevice(env, one.id, args.name);
      devices.look();
      return shownDevice(env, devices.get(one.id) ?? one, device.id);
    },
    revoke({ device, id }) {
      devices.revoke(target(device, id).id);
      return { ok: true };
    },
  };
}
