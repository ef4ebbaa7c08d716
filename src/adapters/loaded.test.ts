import { expect, test } from 'vitest';
import { loadAdapters, loadedAdapter } from './loaded.js';
import { adapters } from './registry.js';

test('every agent that is known can be loaded by itself, and nothing else can', async () => {
  expect(loadedAdapter('claude')).toBeUndefined();
  await loadAdapters([...adapters.map(({ id }) => id), 'nobody', 'constructor'], () => undefined);
  for (const adapter of adapters) expect(loadedAdapter(adapter.id)).toBe(adapter);
  expect(loadedAdapter('nobody')).toBeUndefined();
  expect(loadedAdapter('constructor')).toBeUndefined();
});
