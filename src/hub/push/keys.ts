/**
 * The hub's own key pair for push services (VAPID), made once and kept readable by the user alone. A browser's subscription is
 * bound to the public half: another pair means that every device subscribes anew.
 */
import { createECDH } from 'node:crypto';
import { join } from 'node:path';
import type { Env, Log } from '../../contract/index.js';
import { makeHubDir, readState, writeState } from '../state.js';

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

const FILE = 'push-keys.json';

export function vapidKeys(env: Env, log: Log): VapidKeys {
  const file = join(makeHubDir(env), FILE);
  const known = readState(file) as Partial<VapidKeys> | undefined;
  if (areKeys(known)) return known;
  if (known !== undefined)
    log.log('warn', 'the push keys are damaged: new ones are made, devices subscribe anew', { file });
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  // A number with a zero in front is shorter, and no service takes it so.
  const secret = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  const made = { publicKey: pair.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
  writeState(file, made);
  return made;
}

const areKeys = (said: Partial<VapidKeys> | undefined): said is VapidKeys =>
  Buffer.from(String(said?.publicKey), 'base64url').length === 65 &&
  Buffer.from(String(said?.privateKey), 'base64url').length === 32;
