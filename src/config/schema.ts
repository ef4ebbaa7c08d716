/**
 * The one schema of `reins.yml`. Types, defaults, error messages, the JSON schema and docs/config.md all come from here;
 * no key is known anywhere else. Unknown keys are errors everywhere.
 */
import { z } from 'zod';
import { type Adapter, Adapters, Cli } from './schema/cli.js';
import { Core, EventLoop, Events, Hats } from './schema/loop.js';
import { Contact, Notify, WebUrl } from './schema/notify.js';
import { Filled, Secs } from './schema/shared.js';
import { Consult, Rules, Tools } from './schema/tools.js';

const Port = z.number().int().min(1).max(65_535);

const Hub = z.strictObject({
  port: Port.default(7433).describe('The port it listens on.'),
  host: Filled.default('127.0.0.1').describe('The address it listens on.'),
  url: WebUrl.exactOptional().describe('Its address as seen from outside, where something stands before it.'),
  tls: z
    .strictObject({
      cert: Filled.describe('The file with the certificate.'),
      key: Filled.describe('The file with its key.'),
    })
    .exactOptional()
    .describe('To be reached by https.'),
  push_contact: Contact.exactOptional().describe(
    'Whom a push service may complain to: `mailto:me@example.org`, or an https address. Without it, the address in `hub.url` if that is https.',
  ),
  push_hosts: z
    .array(Filled)
    .default([])
    .describe(
      'Further push services that messages may go to: `push.example.org`, `*.example.org:8443`. Never an address inside, unless it is written as one: `inside:push.lan`.',
    ),
});

export const ConfigSchema = z.strictObject({
  cli: Cli.prefault({}).describe('Which agent is started, and how.'),
  adapters: Adapters.default({}).describe('Settings per agent, by the adapter’s name.'),
  trust: z
    .enum(['guarded', 'full'])
    .default('guarded')
    .describe(
      'guarded: every tool call becomes an inquiry. full: the agent acts unasked. With only a ralph.yml the default is full.',
    ),
  tools: Tools.prefault({}).describe('Who answers the inquiries of a tool, by the tool’s name.'),
  rules: Rules.prefault({}).describe('Calls that are allowed, asked about or denied, whatever the policies say.'),
  presence: z
    .strictObject({
      grace_secs: z
        .number()
        .min(0)
        .max(3600)
        .default(10)
        .describe('Seconds after the last viewer left before the detached policy takes over.'),
      web_idle_secs: Secs.default(120).describe(
        'Seconds after the last touch that somebody at a browser counts as there.',
      ),
    })
    .prefault({})
    .describe('Whether a person can answer.'),
  consult: Consult.prefault({}).describe('The agent that answers questions for an absent person.'),
  event_loop: EventLoop.prefault({}).describe('The autonomous loop.'),
  core: Core.prefault({}).describe('What every iteration is told.'),
  hats: Hats.default({}).describe('Roles an iteration can wear, by id.'),
  events: Events.default({}).describe('Topics the agents may publish.'),
  notify: Notify.prefault({}).describe('How a person who is away is reached.'),
  hub: Hub.prefault({}).describe('The page for all sessions (`reins serve`). A project’s file has no say in it.'),
  sessions: z
    .strictObject({
      keep_days: z
        .number()
        .min(0)
        .max(36_500)
        .default(30)
        .describe(
          'Days an ended session is kept before it is removed by itself; 0 = for ever. A project’s file has no say in it.',
        ),
    })
    .prefault({})
    .describe('What is kept of sessions.'),
  recording: z
    .strictObject({
      max_mb: z.number().min(0).max(100_000).default(64).describe('Megabytes kept per session; 0 = no recording.'),
    })
    .prefault({})
    .describe('The recording of the agent’s terminal.'),
});

/** What is in force: defaults filled in, policies as ladders, times in seconds. */
export type Config = z.output<typeof ConfigSchema>;
/** What may be written. */
export type ConfigInput = z.input<typeof ConfigSchema>;
export type AdapterConfig = z.output<typeof Adapter>;
