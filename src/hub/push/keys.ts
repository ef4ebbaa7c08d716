/**
 * The hub's own key pair for push services (VAPID), made once and kept readable by the user alone. A browser's subscription is
 * bound to the public half: another pair means that every device subscribes anew.
 */
import { createECDH } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../contract/index.js';
import { makeDir, writeWhole } from '../../disk/index.js';

export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

const FILE = 'push-keys.json';

export function vapidKeys(dir: string, log: Log): VapidKeys {
  const file = join(dir, FILE);
  const known = read(file, log);
  if (known) return known;
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  // A number with a zero in front is shorter, and no service takes it so.
  const secret = Buffer.concat([Buffer.alloc(32), pair.getPrivateKey()]).subarray(-32);
  const made = { publicKey: pair.getPublicKey('base64url'), privateKey: secret.toString('base64url') };
  makeDir(dir);
  writeWhole(file, `${JSON.stringify(made)}\n`);
  return made;
}

function read(file: string, log: Log): VapidKeys | undefined {
  try {
    const { publicKey, privateKey } = JSON.parse(readFileSync(file, 'utf8')) as VapidKeys;
    if (Buffer.from(publicKey, 'base64url').length === 65 && Buffer.from(privateKey, 'base64url').length === 32)
      return { publicKey, privateKey };
    log.log('warn', 'the push keys are damaged: new ones are made, and devices subscribe anew', { file });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.log('warn', 'the push keys cannot be read: new ones are made, and devices subscribe anew', { file });
  }
  return undefined;
}
