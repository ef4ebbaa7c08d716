/**
 * The one address of a script that the page names by itself: its service worker's. The hub's policy lets no text be taken for a script's
 * address or for HTML (Trusted Types), except by the policy `reins`, which knows this one and no other.
 */
interface PolicyMaker {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

const WORKER = '/worker.js';

/** A trusted address where the browser knows of them, else the plain one: both go where an address is asked for. */
export function workerAddress(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyMaker };
  return trustedTypes?.createPolicy('reins', { createScriptURL: () => WORKER }).createScriptURL(WORKER) ?? WORKER;
}
