/**
 * How a person who is away is told, and asked: a command of the user's and webhooks. Each may be written short (a text, an
 * address) or as a map; `notify/channels.ts` reads both. A secret is best kept in a file or the environment: what is named here is shown.
 */
import { z } from 'zod';
import { Filled } from './shared.js';

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

export const WebUrl = z.string().refine((text) => ['https:', 'http:'].includes(parsed(text)?.protocol ?? ''), {
  error: 'expected an http(s) address',
});

/** As push services want it: somebody who reads mail, or a page. */
export const Contact = z
  .string()
  .max(500)
  .refine(
    (text) => {
      const { protocol, pathname = '' } = parsed(text) ?? {};
      return protocol === 'https:' || (protocol === 'mailto:' && /^[^\s@<>,%]+@[^\s@<>,%]+$/.test(pathname));
    },
    { error: 'expected mailto:NAME@HOST or an https address' },
  );

/** What is sent names files and commands: it crosses a network only under TLS. */
const isPrivate = (text: string): boolean => {
  const url = parsed(text);
  return url?.protocol !== 'http:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
};

const HookUrl = WebUrl.refine(isPrivate, { error: 'expected https; http only to this machine (127.0.0.1, localhost)' });

const common = {
  answers: z
    .boolean()
    .default(false)
    .describe('What comes back is a person’s answer to the inquiry. Never for a secret.'),
  always: z.boolean().default(false).describe('Told in quiet hours too.'),
};

const Command = z.strictObject({
  run: z
    .union([Filled, z.array(Filled).min(1)], { error: 'expected a command, as text for the shell or as a list' })
    .describe('The command: a text for /bin/sh, or a list of a program and its arguments.'),
  ...common,
  timeout_secs: z
    .number()
    .min(1)
    .max(86_400)
    .exactOptional()
    .describe('Seconds it may run: 30, or 900 where it may answer.'),
});

/** Shorter ones are guessed. */
const SHORTEST_SECRET = 16;

const Webhook = z
  .strictObject({
    url: HookUrl.describe('Where it is posted to: https, or http on this machine.'),
    name: Filled.max(64).exactOptional().describe('How it is called in the journal; its host, unless told.'),
    secret: z
      .string()
      .min(SHORTEST_SECRET)
      .exactOptional()
      .describe('Signs what is sent, and what comes back. Better in a file or the environment.'),
    secret_file: Filled.exactOptional().describe('The file it is in.'),
    secret_env: Filled.exactOptional().describe('The environment variable it is in; agents do not get it.'),
    ...common,
    timeout_secs: z
      .number()
      .min(1)
      .max(600)
      .exactOptional()
      .describe('Seconds a response is waited for: 10, or 60 where it may answer.'),
  })
  .refine((hook) => [hook.secret, hook.secret_file, hook.secret_env].filter(Boolean).length <= 1, {
    error: 'keep one of secret, secret_file and secret_env',
  })
  .refine((hook) => !hook.answers || hook.secret || hook.secret_file || hook.secret_env, {
    error: 'answers need a secret, secret_file or secret_env: an answer counts only if it is signed',
  });

const HOURS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d$/;
const MOST_WEBHOOKS = 10;

export const Notify = z.strictObject({
  webhooks: z
    .array(z.union([HookUrl, Webhook], { error: 'expected an https address, or a map with a url' }))
    .max(MOST_WEBHOOKS)
    .default([])
    .describe('Addresses that get a POST when an inquiry waits or a session ends; each an address, or a map.'),
  push: z.boolean().default(true).describe('Push messages to paired browsers and phones.'),
  command: z
    .union([Filled, z.array(Filled).min(1), Command], { error: 'expected a command, or a map with `run`' })
    .exactOptional()
    .describe('A command that gets the notification as JSON on standard input: a text, a list, or a map.'),
  on: z
    .array(z.enum(['inquiry', 'ended', 'limit', 'died']))
    .default(['inquiry', 'ended', 'limit', 'died'])
    .describe('Told: an inquiry waits, a session ended, an agent is at its usage limit, a host died.'),
  quiet_hours: z
    .string()
    .regex(HOURS, { error: 'expected hours like 22:00-07:00' })
    .exactOptional()
    .describe('Nobody is told then (local time); what still waits afterwards is.'),
  details: z
    .enum(['full', 'names'])
    .default('full')
    .describe('What is sent of inputs and questions: all but secrets, or only who asks and what for.'),
  terminal: z
    .enum(['auto', 'bell', 'off'])
    .default('auto')
    .describe(
      'A terminal on which an inquiry of a loop is put rings and shows a notification, only rings, or neither.',
    ),
});
