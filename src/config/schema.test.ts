import { expect, test } from 'vitest';
import { configJsonSchema, type JsonSchema } from './json-schema.js';
import { adapterSettings } from './quick.js';
import { parseDuration } from './schema/shared.js';
import { type ConfigInput, ConfigSchema } from './schema.js';

const config = (input: ConfigInput) => ConfigSchema.parse(input);
const all = <T>(ladder: T) => ({ run: ladder, deliver: ladder, question: ladder });

test('an empty config is the defaults of the contract', () => {
  expect(config({})).toEqual({
    cli: {
      backend: 'auto',
      args: [],
      prompt_mode: 'arg',
      acp: false,
      acp_asks: false,
      default_mode: 'autonomous',
      idle_timeout_secs: 30,
      detach_key: 'C-]',
      clipboard: 'driver',
    },
    adapters: {},
    trust: 'guarded',
    tools: { defaults: {} },
    rules: { allow: [], ask: [], deny: [] },
    presence: { grace_secs: 10, web_idle_secs: 120 },
    consult: {
      args: [],
      context: ['ROADMAP.md'],
      reads: false,
      free_text: false,
      suggest: false,
      never: ['delete', 'deploy', 'publish', 'pay', 'credentials', 'licence', 'migrate'],
      timeout_secs: 55,
      min_confidence: 0.7,
      max_per_session: 20,
      max_cost_usd: 1,
      max_cost_usd_per_day: 5,
    },
    event_loop: {
      completion_promise: 'LOOP_COMPLETE',
      max_iterations: 100,
      max_runtime_seconds: 14400,
      max_consecutive_failures: 5,
      max_outage_minutes: 120,
      stall_iterations: 5,
      starting_event: 'task.start',
      cooldown_seconds: 0,
      required_events: [],
      strict_promise: false,
      gates: [],
      share_folder: false,
    },
    core: { guardrails: [] },
    hats: {},
    events: {},
    notify: { webhooks: [], push: true, on: ['inquiry', 'ended', 'limit', 'died'], details: 'full', terminal: 'auto' },
    hub: { port: 7433, host: '127.0.0.1', push_hosts: [] },
    sessions: { keep_days: 30 },
    recording: { max_mb: 64 },
  });
});

test('an adapter nobody configured may be quiet for the time of seed 001, and work for as long as it likes', () => {
  const expected = { enabled: true, timeout: 0, quiet_timeout: 300, first_output_secs: 0, args: [], env: {} };
  expect(adapterSettings(config({}), 'claude')).toEqual(expected);
  expect(adapterSettings(config({}), 'constructor')).toEqual(expected);
  const settings = adapterSettings(config({ adapters: { claude: { timeout: 60, env: { PORT: 8080 } } } }), 'claude');
  expect(settings).toEqual({ ...expected, timeout: 60, env: { PORT: '8080' } });
});

test.each([
  ['a mode', 'auto', all([{ mode: 'auto' }])],
  [
    'a ladder',
    [{ ask: '5m' }, 'auto', { defer: 60 }],
    all([{ mode: 'ask', secs: 300 }, { mode: 'auto' }, { mode: 'defer', secs: 60 }]),
  ],
  ['per kind', { run: 'auto', question: ['defaults'] }, { run: [{ mode: 'auto' }], question: [{ mode: 'defaults' }] }],
  ['the word of the seed', { tool: 'defer' }, { question: [{ mode: 'defer' }] }],
] as const)('detached may be %s', (_, written, detached) => {
  const input = { tools: { Bash: { detached: written } } } as unknown as ConfigInput;
  expect(config(input).tools.Bash).toEqual({ detached });
});

test.each([
  ['detached', 'ask'],
  ['detached', []],
  ['detached', ['ask']],
  ['detached', [{ ask: '5 parsecs' }]],
  ['detached', [{ ask: 0 }]],
  ['detached', [{ ask: '1m', auto: '1m' }]],
  ['detached', [{}]],
  ['detached', { run: 'auto', tool: 'deny', question: 'deny' }],
  ['detached', { runs: 'auto' }],
  ['detached', true],
  ['attached', 'defer'],
  ['attached', [{ defer: 5 }]],
])('%s may not be %j', (when, written) => {
  expect(ConfigSchema.safeParse({ tools: { Bash: { [when]: written } } }).success).toBe(false);
});

test.each([
  [90, 90],
  ['90', 90],
  ['90s', 90],
  ['5m', 300],
  ['2h', 7200],
  ['1.5 h', 5400],
  ['1d', 86400],
  ['', undefined],
  ['5x', undefined],
  ['-5s', undefined],
  ['5m5s', undefined],
])('the time %j is %j seconds', (written, secs) => {
  expect(parseDuration(written)).toBe(secs);
});

test('every key says what it is for, and every map refuses unknown keys', () => {
  let keys = 0;
  const walk = (node: JsonSchema, key: string): void => {
    for (const [name, inner] of Object.entries(node.properties ?? {})) {
      keys++;
      expect(inner.description, `${key}.${name}`).toBeTruthy();
      walk(inner, `${key}.${name}`);
    }
    if (node.properties) expect(node.additionalProperties, key).toBeDefined();
    if (typeof node.additionalProperties === 'object') walk(node.additionalProperties, `${key}.*`);
    if (node.items) walk(node.items, `${key}[]`);
    for (const option of node.anyOf ?? []) walk(option, key);
  };
  walk(configJsonSchema(), 'config');
  expect(keys).toBeGreaterThan(60);
});

test.each(['C-[', 'F5', ']', ''])('%j is no detach key: told before a session is started with it', (name) => {
  expect(ConfigSchema.safeParse({ cli: { detach_key: name } }).success).toBe(false);
  expect(config({ cli: { detach_key: 'C-a' } }).cli.detach_key).toBe('C-a');
});
