/** Whether a hub runs and answers, and how many devices are let in. */
import { get as getPlain } from 'node:http';
import { get as getSecure } from 'node:https';
import type { Env } from '../contract/index.js';
import { readDevices, runningHub } from '../hub/local.js';
import type { Report } from './examine.js';

const PATIENCE_MS = 2_000;

export async function examineHub(env: Env): Promise<Report['hub']> {
  const hub = runningHub(env);
  const devices = readDevices(env, Date.now()).length;
  if (!hub) return { running: false, devices };
  const reason = hub.address === '' ? 'it does not listen yet' : await silence(hub.address);
  const { address, url, pid, version } = hub;
  return { running: true, address, url, pid, version, devices, ...(reason === undefined ? {} : { reason }) };
}

/** Undefined if it answers: to who has no cookie, with a refusal. Whose certificate it is, is not asked: nothing is told to it. */
function silence(address: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const get = address.startsWith('https:') ? getSecure : getPlain;
    const request = get(`${address}/api/me`, { rejectUnauthorized: false, timeout: PATIENCE_MS }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 401 ? undefined : `something else answers there (${reply.statusCode})`);
    });
    request.on('error', (error) => resolve(error.message));
    request.on('timeout', () => request.destroy(new Error('it does not answer')));
  });
}
