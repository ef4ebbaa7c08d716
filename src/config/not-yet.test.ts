import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configJsonSchema, type JsonSchema } from './json-schema.js';
import { isNotYet } from './not-yet.js';
import { errorOf, sandbox } from './sandbox.cases.js';

describe('keys of parts that are not built', () => {
  test('of the hub and of push have an effect now: nothing is said of them', () => {
    const box = sandbox({
      '~/.config/reins/config.yml': 'notify: {push: false}\nhub: {host: hunter2}\n',
      'reins.yml':
        'consult:\n  suggest: true\npresence: {grace_secs: 5, web_idle_secs: 60}\nhub: {port: 80, url: https://hunter2.example}\n',
    });
    const { notices, config } = box.load({ sets: ['presence.web_idle_secs=50', 'hub.port=8000'] });
    expect(config.hub).toEqual({ host: 'hunter2', port: 8000, url: 'https://hunter2.example', push_hosts: [] });
    expect(notices).toEqual(['no effect in a project’s file, only in your own: hub.url (reins.yml:4:22)']);
  });

  test('nothing is said where none is written', () => {
    const text = 'presence: {grace_secs: 5}\ncli: {backend: claude}\nconsult:\n';
    expect(sandbox({ 'reins.yml': text }).load().notices).toEqual([]);
  });

  test.each([
    'hub: {push_contact: me@example.org}',
    'hub: {push_contact: "http://example.org"}',
    'hub: {push_contact: "mailto:nobody"}',
    'hub: {push_contact: "mailto:a@b,c@d"}',
    'hub: {prot: 1}',
    'presence: {web_idle: 1}',
    'hub: {tls: {cert: a}}',
    'hub: {port: 70000}',
  ])('%s is still refused', (text) =>
    expect(errorOf(() => sandbox({ 'reins.yml': text }).load()).code).toBe('CONFIG_INVALID'),
  );

  test.each(['mailto:me@example.org', 'https://example.org/contact'])('hub.push_contact may be %s', (contact) => {
    const { config } = sandbox({ '~/.config/reins/config.yml': `hub: {push_contact: "${contact}"}` }).load();
    expect(config.hub.push_contact).toBe(contact);
  });
});

describe('a key does something, or says that it does not', () => {
  const src = join(import.meta.dirname, '..');
  const elsewhere = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.(test|cases)\.ts$/.test(name) && !/^(config|testing)\//.test(name))
    .map((name) => ({ name, code: readFileSync(join(src, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '') }));

  /** Every key that has a name of ours, with the names on its way. */
  function keysOf(node: JsonSchema, path: string[] = []): string[][] {
    return [node, ...(node.anyOf ?? []), ...(node.items ? [node.items] : [])].flatMap(
      ({ properties = {}, additionalProperties }) => [
        ...Object.entries(properties).flatMap(([key, inner]) => [[...path, key], ...keysOf(inner, [...path, key])]),
        ...(typeof additionalProperties === 'object' ? keysOf(additionalProperties, [...path, '*']) : []),
      ],
    );
  }
  const keys = new Map(keysOf(configJsonSchema()).map((path) => [path.join('.'), path]));

  // The seed's word, which becomes `question` when it is read.
  const read = [...keys].filter(([key, path]) => !isNotYet(path) && !key.endsWith('.tool'));
  test.each(read)('%s is read outside this room', (_, path) => {
    const word = new RegExp(`\\b${path.at(-1)}\\b`);
    expect(elsewhere.some(({ code }) => word.test(code))).toBe(true);
  });
});
