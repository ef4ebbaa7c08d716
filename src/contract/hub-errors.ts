/** Errors of the hub and of who comes to it: part of the one table in `errors.ts`. */
import type { CodeInfo } from './errors.js';

export const HUB_CODES = {
  HUB_RUNNING: {
    say: 'the hub of this machine runs already, at {address} (pid {pid})',
    hint: 'let a device in with `reins pair`, or end that one first',
    exit: 50,
    http: 409,
  },
  HUB_EXPOSED: {
    say: 'the hub would be reached at {address} without encryption: whoever is on the way could read and do everything',
    hint: 'give it a certificate (--tls-cert and --tls-key), leave it on 127.0.0.1 behind a tunnel (docs/remote.md), or say --insecure-bind',
    exit: 50,
    http: 500,
  },
  HUB_CERTIFICATE: {
    say: 'the certificate {cert} with the key {key} cannot be used: {reason}',
    hint: 'both in PEM, readable by you, and belonging together',
    exit: 50,
    http: 500,
  },
  HUB_UNBOUND: {
    say: 'the hub cannot listen on {address}: {reason}',
    hint: 'choose another with --port or --host',
    exit: 50,
    http: 500,
  },
  FOREIGN_HOST: {
    say: 'this hub is not known by that name',
    hint: 'use the address that `reins serve` shows, or start it with --url',
    exit: 50,
    http: 421,
  },
  FOREIGN_ORIGIN: {
    say: 'that was asked by a page that is not this hub’s',
    hint: 'open the hub’s own page',
    exit: 50,
    http: 403,
  },
  FROM_INSIDE: {
    say: 'that was asked from inside a session: from there nobody reaches {server}',
    hint: '{fix}',
    exit: 50,
    http: 403,
  },
  DEVICE_UNKNOWN: {
    say: 'this device is not let in',
    hint: 'ask for a link: `reins pair` on the machine itself',
    exit: 50,
    http: 401,
  },
  PAIRING_OVER: {
    say: 'this link is over: it was used, or is older than five minutes',
    hint: 'ask for another: `reins pair` on the machine itself',
    exit: 50,
    http: 410,
  },
  NO_SUCH_DEVICE: { say: 'there is no device {device}', hint: 'see `reins devices`', exit: 30, http: 404 },
  NO_SUCH_ROUTE: { say: 'the hub has nothing at this address', hint: 'see /api/openapi.json', exit: 50, http: 404 },
  NOT_BUILT: { say: '{what} is not in this version of Reins', hint: 'use the command line', exit: 50, http: 501 },
  TOO_MUCH: { say: 'too much was asked at once', hint: 'wait a moment and ask again', exit: 50, http: 429 },
  BODY_TOO_LARGE: { say: 'what was sent is larger than {most} bytes', hint: 'send less', exit: 50, http: 413 },
  BODY_TYPE: {
    say: 'what was sent is no JSON by its type',
    hint: 'say content-type: application/json',
    exit: 50,
    http: 415,
  },
  PUSH_REFUSED: {
    say: 'no message may be sent there: {reason}',
    hint: 'a push service of your own is named in hub.push_hosts',
    exit: 50,
    http: 422,
  },
} as const satisfies Record<string, CodeInfo>;
